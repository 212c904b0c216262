"""The page of the change feed."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone

from dock import access
from dock.contexts import first_run
from dock.contexts import live as contexts
from dock.forms.live import FeedFilter
from dock.forms.projects import ProjectForm
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.page(project, FeedFilter(request.GET).criteria(), now=timezone.now())
    steps = first_run.page(request.user) if found.is_first_run else None
    context = {"page": found, "form": ProjectForm(), "first_run": steps}
    return render_page(request, "dock/live/list.html", context, fragments=("feed",))
