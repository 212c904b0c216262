"""Pages of PROJECT.md and USER.md."""

from __future__ import annotations

from django.http import HttpResponse

from dock import access
from dock.contexts import documents as contexts
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    found = contexts.listing(access.chosen_project(request))
    return render_page(request, "dock/documents/list.html", {"page": found}, fragments=("rows",))


@page
def detail(request: DockRequest, project: str, name: str) -> HttpResponse:
    owner = access.project(project)
    row = access.document(owner, name)
    found = contexts.document(owner, row, view=request.GET.get("view", ""), revision=request.GET.get("revision", ""))
    return render_page(request, "dock/documents/detail.html", {"page": found}, fragments=("document",))
