"""The ASGI application: HTTP by Django, MCP by its SDK, websockets by the consumers, each behind its own door."""

from __future__ import annotations

import os
from typing import Any

import django
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.settings")
django.setup(set_prefix=False)  # the consumers need the apps

from dock.consumers import LiveConsumer  # noqa: E402
from memory.api.asgi import Receive, Scope, Send  # noqa: E402
from memory.api.consumers import ChangesConsumer  # noqa: E402
from memory.mcp import http as mcp  # noqa: E402
from memsite.doors import HttpDoor, WebsocketDoor  # noqa: E402
from memsite.handler import Handler  # noqa: E402


class Nowhere(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """Refuses the handshake of an unknown path; without it the router raises for each."""

    channel_layer_alias = None

    async def connect(self) -> None:
        await self.close()


http = Handler()
tools = HttpDoor(mcp.application)


async def web(scope: Scope, receive: Receive, send: Send) -> None:
    """Give requests below `/mcp` to the tools, and every other one to Django, whose middleware has the same door."""
    is_mcp = scope["path"] == "/mcp" or scope["path"].startswith("/mcp/")
    await (tools if is_mcp else http)(scope, receive, send)


# Each consumer is wrapped, not the router: a router inside middleware is not seen as one and matches no path.
live: Any = WebsocketDoor(SessionMiddlewareStack(LiveConsumer.as_asgi()), needs_origin=True)
changes: Any = WebsocketDoor(ChangesConsumer.as_asgi(), needs_origin=False)
websocket = URLRouter([path("ws/live", live), path("ws/changes", changes), re_path("", Nowhere.as_asgi())])

application = ProtocolTypeRouter({"http": web, "websocket": websocket})
