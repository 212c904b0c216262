"""Pages of journals."""

from __future__ import annotations

from datetime import date

from django.http import HttpResponse
from django.shortcuts import redirect

from dock import access
from dock.contexts import journals as contexts
from dock.contexts import links
from dock.forms.journals import DayFilter, GoForm
from dock.http import DockRequest, page, render_page

_FRAGMENTS = ("day", "heat")


@page
def index(request: DockRequest) -> HttpResponse:
    project = access.chosen_project(request)
    wanted = GoForm(request.GET).wanted()
    if wanted:
        return redirect(links.to("journal-day", wanted, project=project.name if project else ""))
    found = contexts.newest(project, DayFilter(request.GET).criteria())
    return render_page(request, "dock/journals/list.html", {"page": found}, fragments=_FRAGMENTS)


@page
def day(request: DockRequest, day: date) -> HttpResponse:
    project = access.chosen_project(request)
    found = contexts.of_day(project, day, DayFilter(request.GET).criteria())
    return render_page(request, "dock/journals/list.html", {"page": found}, fragments=_FRAGMENTS)
