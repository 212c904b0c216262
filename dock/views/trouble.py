"""The page of a request that failed: for the database, which may be better in a moment, or for a mistake of ours."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import server_error

from memory import trouble

_LATER = {"Retry-After": "2"}


def answer(request: HttpRequest) -> HttpResponse:
    """Answer 503 where the exception that is being handled is the database's trouble, else 500. No query."""
    kind = trouble.of(sys.exception())
    if not kind:
        return server_error(request)
    again = request.get_full_path() if request.method == "GET" else "/"
    return HttpResponse(render_to_string("503.html", {"kind": kind, "again": again}), status=503, headers=_LATER)
