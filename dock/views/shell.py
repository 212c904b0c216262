"""What is around every page, for pages that are open while it changes."""

from __future__ import annotations

from django.http import HttpResponse

from dock.http import DockRequest, page, render_page


@page
def rail(request: DockRequest) -> HttpResponse:
    """Answer the rail anew: its counts are live."""
    return render_page(request, "dock/shell/rail.html", {})
