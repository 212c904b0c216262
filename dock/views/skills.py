"""Pages of skills."""

from __future__ import annotations

from django.http import HttpResponse

from dock import access
from dock.contexts import skills as contexts
from dock.forms.skills import SkillFilter
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.listing(project, SkillFilter(request.GET).criteria())
    return render_page(request, "dock/skills/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, project: str, slug: str) -> HttpResponse:
    owner = access.project(project)
    row = access.skill(owner, slug)
    found = contexts.skill(owner, row, view=request.GET.get("view", ""), revision=request.GET.get("revision", ""))
    return render_page(request, "dock/skills/detail.html", {"page": found}, fragments=("skill",))
