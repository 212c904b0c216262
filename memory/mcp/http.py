"""`/mcp`: who may use the tools over HTTP. A token says so, everywhere; the protocol itself is `memory.mcp.endpoint`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from urllib.parse import parse_qs

from django.db import OperationalError
from django.utils.timezone import now

from memory.api import auth, errors, tokens
from memory.api.asgi import Receive, Scope, Send, say
from memory.api.errors import ApiError
from memory.feed.reading import in_thread
from memory.mcp import profiles
from memory.mcp.activity import Activity
from memory.mcp.caller import Caller
from memory.mcp.profiles import UnknownTool
from memory.models import token as models
from memory.projects import bindings, names

PATHS = {"/mcp", "/mcp/"}

_NO_TOKEN = "This needs a token (Authorization: Bearer …): memdock token create."  # noqa: S105 - a sentence
_ACTIVITY = Activity()

type Endpoint = Callable[[Caller, Scope, Receive, Send], Awaitable[None]]


class _Refused(Exception):
    """What is answered instead, and with which headers."""

    def __init__(self, error: ApiError, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.headers = headers or {}


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request below `/mcp`. `?project=` names the project of the client, `?tools=` the tools that it sees."""
    try:
        _check(scope)
        caller, endpoint = await in_thread(_admitted, scope)
    except _Refused as exc:
        await say(errors.respond(exc.error, headers=exc.headers), send)
    else:
        await endpoint(caller, scope, receive, send)


def _check(scope: Scope) -> None:
    # No page and no redirect: clients look for ways to sign in below any address, and give up their token for them.
    if scope["path"] not in PATHS:
        raise _Refused(ApiError(404))
    if scope["method"] != "POST":
        raise _Refused(ApiError(405, f"{scope['method']} is not possible here."), {"Allow": "POST"})


def _admitted(scope: Scope) -> tuple[Caller, Endpoint]:
    try:
        return _caller(scope), _endpoint()
    except OperationalError as exc:
        raise _Refused(errors.translate(exc), {"Retry-After": "2"}) from exc


def _caller(scope: Scope) -> Caller:
    found = tokens.from_header(_header(scope, b"authorization"))
    if found is None:
        # Nothing about where to get a token: clients would forget the one that they were given and ask there.
        raise _Refused(ApiError(401, _NO_TOKEN), {"WWW-Authenticate": "Bearer"})
    with suppress(OperationalError):  # a busy database: the time of last use is not worth refusing a call
        tokens.touch(found, at=now())
    query = _query(scope)
    return Caller(
        actor=auth.Caller(found).actor(),
        tools=_tools(query.get("tools", [""])[0]),
        scope=models.Scope(found.scope),
        project=_project(query.get("project", [""])[0]),
        activity=_ACTIVITY,
    )


def _query(scope: Scope) -> dict[str, list[str]]:
    try:
        return parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20)
    except ValueError as exc:
        raise _Refused(ApiError(400, "This address has too many parameters.")) from exc


def _header(scope: Scope, name: bytes) -> str:
    """Return a header; one that is sent twice says nothing."""
    values = [value for key, value in scope["headers"] if key.lower() == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def _tools(text: str) -> frozenset[str]:
    from memory.mcp.registry import TOOLS

    try:
        return profiles.chosen(text, TOOLS)
    except UnknownTool as exc:
        raise _Refused(ApiError(400, str(exc), field="tools")) from exc


def _project(text: str) -> str:
    try:
        return bindings.plain_name(text) if text.strip() else ""
    except names.InvalidName as exc:
        raise _Refused(ApiError(400, str(exc), field="project")) from exc


def _endpoint() -> Endpoint:
    # The SDK takes a second to load and 60 MB: only where somebody uses it.
    from memory.mcp.endpoint import answer

    return answer
