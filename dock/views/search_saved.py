"""A person's own saved searches: listed, saved, renamed, deleted."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from dock import access
from dock.contexts import links, search_saved
from dock.contexts import search as contexts
from dock.contexts.search_saved import Refused
from dock.forms.search import SearchForm
from dock.forms.search_saved import NameForm
from dock.http import DockRequest, page, render_page
from memory.search import saved
from memory.search.saved import CannotSave


@page
def index(request: DockRequest) -> HttpResponse:
    return _listing(request)


@require_POST
@login_required
def save(request: HttpRequest) -> HttpResponse:
    """Save what the address asks, as on the search page, under the name in the form."""
    asked = cast("DockRequest", request)
    project, criteria = access.chosen_project(asked), SearchForm(request.GET).criteria()
    query, name = search_saved.query(project, criteria), NameForm(request.POST).typed()
    try:
        row = saved.save(owner=asked.user, name=name, query=query, at=timezone.now())
    except CannotSave as exc:
        found = contexts.page(project, criteria, asked.user, refused=Refused(name, str(exc)))
        return render_page(asked, "dock/search/page.html", {"page": found}, status=422)
    messages.success(request, f"Saved as {row.name}.")
    return redirect(f"{links.to('search')}?{query}")


@require_POST
@login_required
def rename(request: HttpRequest, pk: int) -> HttpResponse:
    asked = cast("DockRequest", request)
    row, name = access.saved_search(asked, pk), NameForm(request.POST).typed()
    before = row.name
    try:
        saved.rename(row, name=name, at=timezone.now())
    except CannotSave as exc:
        return _listing(asked, refused=Refused(name, str(exc), pk))
    messages.success(request, f"{before} is called {row.name} now.")
    return redirect(links.to("search-saved"))


@require_POST
@login_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    row = access.saved_search(cast("DockRequest", request), pk)
    saved.delete(row, at=timezone.now())
    messages.success(request, f"{row.name} was deleted.")
    return redirect(links.to("search-saved"))


def _listing(request: DockRequest, *, refused: Refused | None = None) -> HttpResponse:
    found = search_saved.listing(request.user, refused=refused)
    return render_page(
        request,
        "dock/search/saved.html",
        {"rows": found, "crumbs": [("Search", links.to("search"))]},
        status=422 if refused else 200,
    )
