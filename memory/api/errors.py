"""Errors of MemDock's own API: one JSON shape for whatever goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponseNotAllowed, JsonResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError
from pydantic import Field

from memory import trouble
from memory.paging import BadCursor

logger = logging.getLogger("memdock.api")

type View = Callable[..., HttpResponseBase]

CODES: Mapping[int, str] = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    410: "reset_required",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "too_many_requests",
    500: "internal_error",
    503: "busy",
}

_SENTENCES: Mapping[int, str] = {
    400: "This is not a request that can be read; a body has to be JSON in UTF-8.",
    401: "This needs a token (Authorization: Bearer …) or a signed-in browser.",
    403: "This is not allowed.",
    404: "There is nothing at this address.",
    413: "The body of this request is too large.",
    415: "The body of this request has to be sent as application/json.",
    500: "MemDock failed on this request; its log says why.",
    503: "The database is busy; try again in a moment.",
}
_HEADERS: Mapping[int, Mapping[str, str]] = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "2"}}


class Problem(Schema):
    """What went wrong; `field` names the parameter or key that is at fault, where there is one."""

    code: str = Field(examples=["not_found"])
    message: str = Field(examples=["There is no such project."])
    field: str | None = None


class Refusal(Schema):
    """The body of every reply that is not a success."""

    error: Problem


class ApiError(Exception):
    """A refusal: status, a sentence for people, a code for programs and the field that is at fault."""

    def __init__(self, status: int, message: str = "", *, code: str = "", field: str = "") -> None:
        self.status = status
        self.message = message or _SENTENCES[status]
        self.code = code or CODES[status]
        self.field = field
        super().__init__(self.message)


def not_found(noun: str, *, field: str = "") -> ApiError:
    return ApiError(404, f"There is no such {noun}.", field=field)


def documented(success: Mapping[int, Any], *refusals: int) -> dict[int, Any]:
    """Return the replies of one operation; 401, 403 and 503 are possible everywhere."""
    return {**success, **dict.fromkeys(sorted({401, 403, 503, *refusals}), Refusal)}


def respond(error: ApiError, *, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """Say it as JSON."""
    body = {"code": error.code, "message": error.message} | ({"field": error.field} if error.field else {})
    return JsonResponse({"error": body}, status=error.status, headers=headers or _HEADERS.get(error.status))


def register(api: NinjaAPI) -> None:
    """Let every exception of an operation end in the shape of this module."""
    for kind in (Exception, Http404, HttpError, ValidationError):
        api.add_exception_handler(kind, lambda request, exc: respond(translate(exc)))  # type: ignore[arg-type]


def translate(exc: Exception) -> ApiError:
    """Turn whatever was raised into a refusal; what nobody foresaw is logged and told without details."""
    match exc:
        case ApiError():
            return exc
        case ValidationError():
            return _invalid(exc)
        case HttpError() if exc.status_code in _SENTENCES:
            return ApiError(exc.status_code)
        case Http404():
            return ApiError(404)
        case BadCursor():
            return ApiError(400, "This cursor was not given out by this list.", code="bad_cursor", field="cursor")
        case PermissionDenied():
            return ApiError(403)
        case RequestDataTooBig():
            return ApiError(413)
        case SuspiciousOperation() | UnreadablePostError():
            return ApiError(400)
    match trouble.of(exc):
        case "busy":
            return ApiError(503)
        case "away":
            logger.error("The database cannot be used: %s", exc)
            return ApiError(503, "The database cannot be reached, or has no room; try again in a moment.", code="away")
    logger.error("A request failed.", exc_info=exc)
    return ApiError(500)


def speak_json(view: View) -> View:
    """Wrap a view of ninja, which answers 405 with plain text."""

    @wraps(view)
    def spoken(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        error = ApiError(405, f"{request.method} is not possible here.")
        return respond(error, headers={"Allow": response["Allow"]})

    return spoken


def _invalid(exc: ValidationError) -> ApiError:
    first: dict[str, Any] = exc.errors[0]
    _source, *place = first["loc"]
    # A body's place begins with the name of our argument, which means nothing to the sender.
    names = place[1:] if _source == "body" else place[-1:]
    field = ".".join(str(name) for name in names)
    return ApiError(422, f"{field or 'The body'}: {first['msg']}.", field=field)
