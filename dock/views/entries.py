"""Pages of entries."""

from __future__ import annotations

from django.http import HttpResponse

from dock import access
from dock.contexts import entries as contexts
from dock.contexts import transcripts
from dock.http import DockRequest, page, render_page
from memory.recall import transcript as recall


@page
def detail(request: DockRequest, pk: int) -> HttpResponse:
    found = contexts.entry(access.entry(request, pk), is_source=request.GET.get("view") == "source")
    return render_page(request, "dock/entries/detail.html", {"page": found}, fragments=("entry",))


@page
def transcript(request: DockRequest, pk: int) -> HttpResponse:
    context = request.GET.get("context", "")
    turns = int(context) if context.isascii() and context.isdigit() and len(context) < 4 else recall.CONTEXT
    found = transcripts.page(access.entry(request, pk), context=min(turns, recall.MOST))
    return render_page(request, "dock/entries/transcript.html", {"page": found})
