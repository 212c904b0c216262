"""Bodies of requests: JSON, declared as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja.parser import Parser

from memory.agent_loop import points
from memory.api.errors import ApiError, respond
from memory.capture import document

type Run = Callable[..., HttpResponseBase]

_JSON = "application/json"

LARGEST = 8 * 1024 * 1024
"""Bytes of a body, unless an operation says otherwise."""
_LARGER = {"/api/v1/events": document.LARGEST, "/api/v1/agent-loop/updates": points.LARGEST}


class StrictParser(Parser):
    """Reads JSON as RFC 8259 has it: Python would also take NaN and Infinity."""

    def parse_body(self, request: HttpRequest) -> Any:
        return json.loads(request.body, parse_constant=_refuse)


def json_only(run: Run) -> Run:
    """Refuse what is sent as anything else: forms and plain text are what pages of other sites can send unasked."""

    @wraps(run)
    def checked(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        if request.method in {"POST", "PUT", "PATCH"} and request.content_type != _JSON and not _is_bare(request):
            return respond(ApiError(415))
        if int(request.META.get("CONTENT_LENGTH") or 0) > _LARGER.get(request.path, LARGEST):
            return respond(ApiError(413))
        return run(request, **kwargs)

    return checked


def _is_bare(request: HttpRequest) -> bool:
    return not request.content_type and request.META.get("CONTENT_LENGTH", "") in {"", "0"}


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
