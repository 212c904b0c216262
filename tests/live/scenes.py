"""What the tests of the feed do to it: append, listen, wait."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from typing import Any

from channels.testing import WebsocketCommunicator
from django.db import transaction
from django.utils.timezone import now

from memory import changes
from memory.changes import Note
from memory.feed.reading import in_thread
from memory.models import Project
from tests import loops

PATIENCE_S = 120.0
"""How long a test waits for what has to come; only a failing test waits that long."""


def run(scene: Coroutine[Any, Any, None]) -> None:
    """Play a scene on an event loop of its own."""
    loops.run(scene)


def append_now(*refs: str, project: Project | None = None) -> None:
    """Append one change a ref, in one transaction."""
    with transaction.atomic():
        changes.append([Note("entry.added", ref, f"About {ref}") for ref in refs], project=project, at=now())


async def append(*refs: str, project: Project | None = None) -> None:
    await in_thread(append_now, *refs, project=project)


def refs(first: int, last: int) -> list[str]:
    return [f"entry:{number}" for number in range(first, last + 1)]


class Peer:
    """A websocket client of the real application, cookies, headers and all."""

    def __init__(self, path: str, **headers: str) -> None:
        from memsite.asgi import application

        named = {"host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
        raw = [(name.encode(), value.encode("latin-1")) for name, value in named.items()]
        self._socket = WebsocketCommunicator(application, path, headers=raw)

    async def __aenter__(self) -> Peer:
        self.is_in, _ = await self._socket.connect(timeout=PATIENCE_S)
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self._socket.disconnect(timeout=PATIENCE_S)

    async def hear(self) -> Any:
        """Return the next message that is not a ping, and answer pings on the way."""
        while (message := await self.hear_all())["type"] == "ping":
            await self.say('{"type":"pong"}')
        return message

    async def hear_all(self) -> Any:
        return json.loads(await self._socket.receive_from(timeout=PATIENCE_S))

    async def hear_refs(self, count: int) -> list[str]:
        return [(await self.hear())["change"]["ref"] for _ in range(count)]

    async def hears_nothing(self) -> bool:
        """Tell whether the server has nothing to say for a moment."""
        is_silent: bool = await self._socket.receive_nothing(timeout=0.2)
        return is_silent

    async def say(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def close_code(self) -> int:
        """Return the code with which the server closes, whatever it says before."""
        while True:
            message = await self._socket.receive_output(timeout=PATIENCE_S)
            if message["type"] == "websocket.close":
                code: int = message["code"]
                return code
