"""The page of numbers."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone

from dock import access
from dock.contexts import stats as contexts
from dock.forms.stats import StatsForm
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.stats(project, StatsForm(request.GET).criteria(), today=timezone.localdate())
    return render_page(request, "dock/stats/index.html", {"page": found}, fragments=("stats",))
