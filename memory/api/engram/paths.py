"""The path of a request in its segments; an id may hold any character, slashes too, when it is percent-encoded."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from memory.api.engram.replies import Refusal


def segments(request: HttpRequest) -> tuple[str, ...]:
    """Return the decoded segments of a path. Raises a refusal for what is no text."""
    return tuple(_decoded(segment) for segment in _raw(request).removeprefix(b"/").split(b"/"))


def _raw(request: HttpRequest) -> bytes:
    """Return the path as it was sent: Django's own is decoded, and there `a%2Fb` looks like two segments."""
    raw: bytes | None = request.scope.get("raw_path") if isinstance(request, ASGIRequest) else None
    return raw or quote(request.path).encode()


def _decoded(segment: bytes) -> str:
    try:
        text = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError as exc:
        raise Refusal(400, "the path is not UTF-8") from exc
    if "\0" in text:
        raise Refusal(400, "the path cannot hold a NUL character")
    return text
