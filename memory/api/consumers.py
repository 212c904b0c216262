"""The agents' feed (/ws/changes), and what both feeds over websockets have in common."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing
from typing import Any
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils.timezone import now

from memory import changes
from memory.api import tokens
from memory.api.messages import Changed, Hello, Message, Ping, Resync
from memory.api.shapes import ChangeJson
from memory.feed import feed
from memory.feed.reading import in_thread
from memory.feed.window import Window
from memory.models import ApiToken, Project
from memory.models.token import Scope
from memory.projects import queries as projects

NOT_SIGNED_IN = 4401
NOT_ALLOWED = 4403
NO_SUCH_PROJECT = 4404
SILENT = 4408
TOO_BIG = 4413
FAILED = 4500

HEARTBEAT_S = 25.0
PATIENCE = 3
"""Heartbeats in which a peer has to say something."""
LONGEST_MESSAGE = 4096
"""Characters; the only message that we know has 15."""

_UNKNOWN = -1
_LONGEST_ID = 18

logger = logging.getLogger("memdock.feed")


class Hangup(Exception):
    """The connection is to be closed, with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class FeedConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # Channels has no types
    """Says hello, then tells every change after `since`, of all projects or of `project`."""

    # The feed has its own bell, which also hears other processes: no channel for each socket.
    channel_layer_alias = None

    _serving: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:  # the peer left, or the server ends us: either way nobody listens
            if self._serving is not None:
                self._serving.cancel()
                await asyncio.wait([self._serving])

    async def standing(self) -> int | None:
        """Return the close code for a peer that may not listen (any more), or None; asked at each heartbeat."""
        raise NotImplementedError

    async def connect(self) -> None:
        # Accepted first: a browser learns the code of a close, but not why a handshake was refused.
        await self.accept()
        self._heartbeat = float(getattr(settings, "MEMDOCK_HEARTBEAT_S", HEARTBEAT_S))
        self._window = Window()
        self._note_life()
        self._serving = asyncio.create_task(self._serve())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self._note_life()
        if len(text_data or bytes_data or "") > LONGEST_MESSAGE:
            await self.close(code=TOO_BIG)
        elif text_data and _is_pong(text_data):
            self._window.ponged()
            await self._ping_when_due()

    async def _serve(self) -> None:
        try:
            await self._check_standing()
            project = await self._project()
            latest = await in_thread(changes.latest)
            await self._say(Hello(type="hello", latest=latest, heartbeat_s=self._heartbeat))
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._follow(self._since(latest), project))
                tasks.create_task(self._beat())
        except* Hangup as hangups:
            await self.close(code=_code(hangups))
        except* Exception:
            logger.exception("A websocket of the change feed failed.")
            await self.close(code=FAILED)

    async def _follow(self, since: int, project: Project | None) -> None:
        while True:
            try:
                async with aclosing(feed.current().follow(since, project)) as batches:
                    async for batch in batches:
                        await self._tell(batch)
            except changes.ResetRequired:
                since = await in_thread(changes.latest)
                await self._say(Resync(type="resync", latest=since))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat)
            await self._check_standing()
            if asyncio.get_running_loop().time() - self._last_heard > PATIENCE * self._heartbeat:
                raise Hangup(SILENT)
            await self._ping()

    async def _tell(self, batch: list[ChangeJson]) -> None:
        for change in batch:
            await self._say(Changed(type="change", change=change))
        self._window.sent(len(batch))
        await self._ping_when_due()
        await self._window.room()

    async def _ping_when_due(self) -> None:
        if self._window.needs_ping:
            await self._ping()

    async def _ping(self) -> None:
        self._window.pinged()
        await self._say(Ping(type="ping"))

    async def _say(self, message: Message) -> None:
        await self.send(text_data=json.dumps(message, separators=(",", ":")))

    async def _check_standing(self) -> None:
        code = await self.standing()
        if code is not None:
            raise Hangup(code)

    async def _project(self) -> Project | None:
        """Return the project that was asked for, None for all; hang up when there is none of that name."""
        name = self._query("project")
        if not name:
            return None
        project = await in_thread(projects.find, name)
        if project is None:
            raise Hangup(NO_SUCH_PROJECT)
        return project

    def _since(self, latest: int) -> int:
        text = self._query("since")
        if text is None:
            return latest
        is_id = text.isascii() and text.isdigit() and len(text) <= _LONGEST_ID
        return int(text) if is_id else _UNKNOWN

    def _query(self, name: str) -> str | None:
        query = parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=20)
        return query[name][0] if name in query else None

    def _note_life(self) -> None:
        self._last_heard = asyncio.get_running_loop().time()


class ChangesConsumer(FeedConsumer):
    """The agents' feed; the Authorization header carries a token with scope `read` or more."""

    async def standing(self) -> int | None:
        token = await in_thread(_token, self._authorization())
        if token is None:
            return NOT_SIGNED_IN
        return None if Scope(token.scope).covers(Scope.READ) else NOT_ALLOWED

    def _authorization(self) -> str:
        values = [value for name, value in self.scope["headers"] if name == b"authorization"]
        return values[0].decode("latin-1") if len(values) == 1 else ""


def _token(authorization: str) -> ApiToken | None:
    token = tokens.from_header(authorization)
    if token is not None:
        tokens.touch(token, at=now())
    return token


def _is_pong(text: str) -> bool:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("type") == "pong"


def _code(hangups: BaseExceptionGroup[Hangup]) -> int:
    """Return the code of the first; a group may hold groups."""
    first = hangups.exceptions[0]
    return _code(first) if isinstance(first, BaseExceptionGroup) else first.code
