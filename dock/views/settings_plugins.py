"""The page of the settings that lists the memory plugins."""

from __future__ import annotations

from django.http import HttpResponse

from dock import access
from dock.contexts import settings_plugins as contexts
from dock.http import DockRequest, page, render_page


@page
def index(request: DockRequest) -> HttpResponse:
    found = contexts.page(access.chosen_project(request), request.user)
    return render_page(request, "dock/settings/plugins.html", {"page": found})
