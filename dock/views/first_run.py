"""The page of the first steps; the live page shows the same while there is no project."""

from __future__ import annotations

from django.http import HttpResponse

from dock.contexts import first_run as contexts
from dock.forms.projects import ProjectForm
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    found = contexts.page(request.user)
    return render_page(request, "dock/first_run/index.html", {"first_run": found, "form": ProjectForm()})
