"""The page of the change feed."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone

from dock import access
from dock.contexts import live as contexts
from dock.forms.live import FeedFilter
from dock.forms.projects import ProjectForm
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.page(project, FeedFilter(request.GET).criteria(), now=timezone.now())
    context = {"page": found, "form": ProjectForm(), "can_add": request.user.has_perm("memory.add_project")}
    return render_page(request, "dock/live/list.html", context, fragments=("feed",))
