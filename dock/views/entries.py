"""Pages of entries."""

from __future__ import annotations

from django.http import HttpResponse

from dock import access
from dock.contexts import entries as contexts
from dock.contexts import transcripts
from dock.forms.transcripts import PlaceForm
from dock.http import DockRequest, page, render_page


@page
def detail(request: DockRequest, pk: int) -> HttpResponse:
    found = contexts.entry(access.entry(request, pk), request.user, is_source=request.GET.get("view") == "source")
    return render_page(request, "dock/entries/detail.html", {"page": found}, fragments=("entry",))


@page
def transcript(request: DockRequest, pk: int) -> HttpResponse:
    found = transcripts.of_entry(access.entry(request, pk), PlaceForm(request.GET).place())
    return render_page(request, "dock/transcripts/detail.html", {"page": found})
