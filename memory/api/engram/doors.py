"""Who may ask: everybody on loopback, as with Engram; elsewhere whoever has a token."""

from __future__ import annotations

import hmac
import os
from enum import Enum

from django.conf import settings
from django.http import HttpRequest
from ninja.errors import AuthenticationError

from memory.api.auth import Token
from memory.api.engram.replies import Refusal
from memory.models.token import Scope

_BEARER = "Bearer "
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="engram"'}


class Door(Enum):
    """What a route asks for on loopback (see `check`)."""

    ALWAYS_OPEN = "always open"
    OPEN = "open"
    GUARDED = "guarded"
    CLOSED = "closed"


def check(request: HttpRequest, door: Door, *, needs: Scope) -> None:
    """Let a request pass or raise a refusal.

    On loopback only GUARDED routes look at `ENGRAM_HTTP_TOKEN`, where that is set, and CLOSED ones need it. Elsewhere
    every route but ALWAYS_OPEN wants that token, or one of MemDock's own whose scope covers `needs`.
    """
    expected = os.environ.get("ENGRAM_HTTP_TOKEN", "")
    if door is Door.ALWAYS_OPEN:
        return
    if settings.OPEN_TO_OTHERS:
        _check_any(request, expected, needs)
    elif expected and door is not Door.OPEN:
        _check_engrams(request, expected)
    elif door is Door.CLOSED:
        raise Refusal(503, "server authorization is not configured")


def _check_any(request: HttpRequest, expected: str, needs: Scope) -> None:
    sent = _sent(request)
    if expected and _is_same(sent, expected):
        return
    try:
        Token(needs).authenticate(request, sent)
    except AuthenticationError as exc:
        raise Refusal(401, "invalid token", headers=_CHALLENGE) from exc


def _check_engrams(request: HttpRequest, expected: str) -> None:
    if not _is_same(_sent(request), expected):
        raise Refusal(401, "invalid token", headers=_CHALLENGE)


def _sent(request: HttpRequest) -> str:
    header = request.headers.get("Authorization", "")
    if not header.startswith(_BEARER):
        raise Refusal(401, "authorization required", headers=_CHALLENGE)
    return header.removeprefix(_BEARER)


def _is_same(sent: str, expected: str) -> bool:
    return hmac.compare_digest(sent.encode("latin-1", "replace"), os.fsencode(expected))
