"""Pages that may be framed, by the origins that the person who runs MemDock named."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.csp import CSP
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csp import csp_override

type View[**Rest] = Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]


def framed[**Rest](view: View[Rest]) -> View[Rest]:
    """Let pages of MEMDOCK_EMBED_ORIGINS frame what a view answers, redirects included; nobody where none is named."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        origins = settings.EMBED_ORIGINS
        if not origins:
            return view(request, *args, **kwargs)
        policy = settings.SECURE_CSP | {"frame-ancestors": [CSP.SELF, *origins]}
        opened: View[Rest] = csp_override(policy)(xframe_options_exempt(view))
        return opened(request, *args, **kwargs)

    return wrapped


def is_framed(request: HttpRequest) -> bool:
    """Tell whether the browser asks for a page to show it in a frame."""
    return request.headers.get("Sec-Fetch-Dest") == "iframe"
