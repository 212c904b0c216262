"""Answers of ASGI applications that are no Django views."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.http import HttpResponse

type Scope = dict[str, Any]
type Message = Mapping[str, Any]
type Receive = Callable[[], Awaitable[dict[str, Any]]]
type Send = Callable[[Message], Awaitable[None]]
type Application = Callable[[Scope, Receive, Send], Awaitable[None]]


async def say(response: HttpResponse, send: Send) -> None:
    """Send a response that Django made."""
    headers = {**response.headers, "Content-Length": str(len(response.content))}
    pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": pairs})
    await send({"type": "http.response.body", "body": response.content})
