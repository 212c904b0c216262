"""What every view gets and gives: the typed request, and the one place that decides between page and fragment."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from memory import changes


class DockRequest(HttpRequest):
    """A request of a signed-in person."""

    user: User
    htmx: HtmxDetails
    project: str
    """The project of the record that is shown, where the address does not name it."""
    since: int
    """The newest change before a whole page was read: whatever comes after it is told by the live feed."""


def page[**Rest](
    view: Callable[Concatenate[DockRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Make a view a page: GET and HEAD only, for people who are signed in."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        asked = cast("DockRequest", request)
        if not _wants_fragment(asked):
            asked.since = changes.latest()  # before the view reads, or what is committed in between is never told
        return view(asked, *args, **kwargs)

    return cast("Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]", require_safe(login_required(wrapped)))


def render_page(
    request: DockRequest, template: str, context: dict[str, Any], *, fragments: tuple[str, ...] = (), status: int = 200
) -> HttpResponse:
    """Render a page, or for htmx the one of its fragments that `HX-Target` names (the first by default).

    A restore from history and a boosted link get the whole page, so that Back never shows a bare fragment.
    """
    name = template
    if fragments and _wants_fragment(request):
        wanted = request.htmx.target or ""
        name = f"{template}#{wanted if wanted in fragments else fragments[0]}"
    response = render(request, name, context, status=status)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    response["Cache-Control"] = "no-store"  # memory text does not belong into a shared machine's disk cache
    return response


def _wants_fragment(request: DockRequest) -> bool:
    htmx = request.htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request
