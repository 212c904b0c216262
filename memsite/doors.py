"""The doors: which requests are let in at all, before anything else looks at them.

A page of any other site can make a browser send requests to a server on the same machine, cookies included. Three
headers that a page cannot forge tell them apart: Host (against DNS rebinding), Origin and Sec-Fetch-Site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import split_domain_port, validate_host
from django.template import TemplateDoesNotExist
from django.template.loader import render_to_string
from django.utils.html import format_html

from memory.api.asgi import Application, Receive, Scope, Send, say

WRONG_HOST = "This MemDock does not answer to that host name."
WRONG_ORIGIN = "This request was made by a page of another site."

_ORIGIN = re.compile(r"(https?)://([^/?#@\s]+)", re.IGNORECASE)
_EDITOR = re.compile(r"vscode-file://[\w.-]+")
_DEFAULT_PORT = {"http": "80", "https": "443"}
_OWN_SITES = {"", "same-origin", "none"}
_LINKED = ("/dock/", "/admin/")
_CAPSULE = "/dock/capsule/"
_PAGES = {"", "dock", "admin", "static"}
_PLAIN_PAGE = "<!doctype html><html lang=en><title>Not allowed</title><h1>Not allowed</h1><p>{}</p></html>"


@dataclass(frozen=True, slots=True)
class Knock:
    """What a request says about where it comes from; an absent Origin is None, any other absent header is empty."""

    method: str
    path: str
    host: str
    origin: str | None = None
    fetch_site: str = ""
    fetch_mode: str = ""
    fetch_dest: str = ""

    @property
    def is_link(self) -> bool:
        """A person followed a link, from wherever, to one of our pages."""
        navigates = (self.method, self.fetch_mode, self.fetch_dest) == ("GET", "navigate", "document")
        return navigates and self.path.startswith(_LINKED)

    @property
    def is_framed_capsule(self) -> bool:
        """A page frames the capsule; the browser shows it to those alone that its frame-ancestors names."""
        return (self.method, self.fetch_mode, self.fetch_dest, self.path) == ("GET", "navigate", "iframe", _CAPSULE)


def refusal(knock: Knock, *, allowed_hosts: Sequence[str], embed_origins: Sequence[str] = ()) -> str | None:
    """Return why a request is refused, as a sentence that repeats nothing of it, or None when it may come in."""
    domain, _ = split_domain_port(knock.host)
    if not domain or not validate_host(domain, allowed_hosts):
        return WRONG_HOST
    if knock.is_link or (embed_origins and knock.is_framed_capsule):
        return None
    if knock.origin is not None and not _is_own(knock.origin, host=knock.host):
        return WRONG_ORIGIN
    # A value that we do not know is a browser's word for something that was not meant when this was written.
    return None if knock.fetch_site in _OWN_SITES else WRONG_ORIGIN


class DoorMiddleware:
    """Refuses HTTP requests, with JSON on the doors of programs and with a page on those of people."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        hosts, origins = settings.ALLOWED_HOSTS, settings.EMBED_ORIGINS
        reason = refusal(_of_request(request), allowed_hosts=hosts, embed_origins=origins)
        return self.get_response(request) if reason is None else _refuse(request, reason)


class HttpDoor:
    """Wraps an application of programs that Django's middleware does not see, and refuses requests with JSON.

    An editor that is made of web pages is let in as a program: no page of the web can have its Origin.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        knock = _of_scope(scope)
        if _EDITOR.fullmatch(knock.origin or ""):
            knock = replace(knock, origin=None, fetch_site="")
        reason = refusal(knock, allowed_hosts=settings.ALLOWED_HOSTS)
        if reason is None:
            await self.application(scope, receive, send)
        else:
            await say(_guarded(_json(reason)), send)


class WebsocketDoor:
    """Wraps one consumer and refuses handshakes, with HTTP 403 before anything is accepted.

    Browsers always name the page that opens a websocket, so a door for browsers needs an Origin; a program that
    carries a token names none.
    """

    def __init__(self, application: Application, *, needs_origin: bool) -> None:
        self.application = application
        self.needs_origin = needs_origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._lets_in(_of_scope(scope)):
            await self.application(scope, receive, send)
            return
        await receive()  # websocket.connect
        await send({"type": "websocket.close"})

    def _lets_in(self, knock: Knock) -> bool:
        if self.needs_origin and knock.origin is None:
            return False
        return refusal(knock, allowed_hosts=settings.ALLOWED_HOSTS) is None


def _is_own(origin: str, *, host: str) -> bool:
    """Compare an Origin with the Host header; a missing port is the default one of the origin's scheme."""
    match = _ORIGIN.fullmatch(origin)
    if match is None:  # `null` too: sandboxed frames and files
        return False
    default = _DEFAULT_PORT[match[1].lower()]
    (ours, our_port), (theirs, their_port) = split_domain_port(host), split_domain_port(match[2])
    return bool(theirs) and (theirs, their_port or default) == (ours, our_port or default)


def _of_request(request: HttpRequest) -> Knock:
    # Only clients that speak HTTP/1.0 send no Host; no browser does. The server's own name stands in, as in Django.
    host = request.META.get("HTTP_HOST") or request.META["SERVER_NAME"]
    return _knock(request.method or "", request.path, host, request.headers)


def _of_scope(scope: Scope) -> Knock:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        text = value.decode("latin-1")
        key = name.decode("latin-1").title()
        # A header that is sent twice must not say two things: joined, it is neither.
        headers[key] = f"{headers[key]},{text}" if key in headers else text
    return _knock(scope.get("method", "GET"), scope["path"], headers.get("Host", ""), headers)


def _knock(method: str, path: str, host: str, headers: Any) -> Knock:
    return Knock(
        method=method,
        path=path,
        host=host,
        origin=headers.get("Origin"),
        fetch_site=headers.get("Sec-Fetch-Site", ""),
        fetch_mode=headers.get("Sec-Fetch-Mode", ""),
        fetch_dest=headers.get("Sec-Fetch-Dest", ""),
    )


def _refuse(request: HttpRequest, reason: str) -> HttpResponse:
    is_page = request.path.split("/", 2)[1] in _PAGES
    return _guarded(_page(reason) if is_page else _json(reason))


def _guarded(response: HttpResponse) -> HttpResponse:
    # SecurityMiddleware and the CSP come after this door and do not see what it refuses.
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'self'; frame-ancestors 'none'"
    return response


def _json(reason: str) -> HttpResponse:
    return JsonResponse({"error": {"code": "forbidden", "message": reason}}, status=403)


def _page(reason: str) -> HttpResponse:
    """Render 403.html without the request: who is refused costs no query and is told nothing about the dock."""
    try:
        html = render_to_string("403.html", {"reason": reason})
    except TemplateDoesNotExist:
        html = format_html(_PLAIN_PAGE, reason)
    return HttpResponse(html, status=403)
