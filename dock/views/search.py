"""The search page, a hit opened in place, what the box completes, and the palette's hits."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect

from dock import access
from dock.contexts import expansions, links, search_completions
from dock.contexts import search as contexts
from dock.forms.search import SearchForm
from dock.http import DockRequest, page, render_page
from memory import refs

LONGEST_WORD = 200


@page
def index(request: DockRequest) -> HttpResponse:
    found = contexts.page(access.chosen_project(request), SearchForm(request.GET).criteria(), request.user)
    return render_page(request, "dock/search/page.html", {"page": found}, fragments=("results",))


@page
def expand(request: DockRequest) -> HttpResponse:
    """Answer a hit's section to scripts, and send everybody else to the record."""
    ref = request.GET.get("ref", "")
    if not request.htmx:
        return redirect(refs.url(ref) or links.to("search"))
    return render_page(request, "dock/search/expansion.html", {"page": expansions.opened(ref)})


@page
def complete(request: DockRequest) -> HttpResponse:
    """Answer what the word at the cursor may become to scripts, and send everybody else to the search page."""
    if not request.htmx:
        return redirect(links.to("search"))
    found = search_completions.completions(request.GET.get("word", "")[:LONGEST_WORD], access.chosen_project(request))
    return render_page(request, "dock/search/completions.html", {"page": found})


@page
def palette(request: DockRequest) -> HttpResponse:
    """Answer the hits of the palette to scripts, and send everybody else to the search page."""
    found = contexts.palette(access.chosen_project(request), SearchForm(request.GET).criteria().text, request.user)
    if not request.htmx:
        return redirect(found.all_url)
    return render_page(request, "dock/search/palette_hits.html", {"page": found})
