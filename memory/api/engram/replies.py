"""Replies in Engram's shape: one JSON value and a newline; a refusal is `{"error": "…"}`, some with a `code`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from memory.api import errors
from memory.engram.errors import EngramError, Invalid, NotFound, ProjectMismatch, ProjectUnresolved

RETRY_AFTER = "2"
"""Seconds after which a busy database is worth another try."""


class Refusal(Exception):
    """What the wire itself refuses; `fields` stand beside the message."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str = "",
        fields: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.message = message
        self.fields = ({"code": code} if code else {}) | dict(fields or {})
        self.headers = headers or {}
        super().__init__(message)


def reply(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Say a value as JSON."""
    text = json.dumps(value, separators=(",", ":")) + "\n"
    return HttpResponse(text, content_type="application/json", status=status, headers=headers)


def refuse(exc: Exception) -> HttpResponse:
    """Turn whatever was raised into a reply; what nobody foresaw is logged and told without details."""
    refusal = _refusal(exc)
    return reply({"error": refusal.message, **refusal.fields}, status=refusal.status, headers=refusal.headers)


def _refusal(exc: Exception) -> Refusal:
    match exc:
        case Refusal():
            return exc
        case EngramError():
            return Refusal(_status(exc), exc.message, code=exc.code, fields=exc.fields)
    error = errors.translate(exc)
    headers = {"Retry-After": RETRY_AFTER} if error.status == 503 else {}
    return Refusal(error.status, error.message, headers=headers, code=error.code)


def _status(exc: EngramError) -> int:
    match exc:
        case Invalid() | ProjectMismatch():
            return 400
        case NotFound():
            return 404
        case ProjectUnresolved():
            return 500
        case _:
            return 409


def without_empty(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """Leave out the named keys that have no value (Go's `omitempty`)."""
    return {name: one for name, one in value.items() if one or name not in names}
