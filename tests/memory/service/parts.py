"""Plugins, stores and calls for tests: each does what it is told, and remembers what was done to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from memory.service.desk import books
from memory.service.errors import MemorySubscriptionError
from memory.service.plugins import PluginChange
from memory.service.registry import Registry
from memory.service.routing import parse
from memory.service.service import MemoryService
from memory.service.types import Call, MemoryChange, Meta, Request, Source
from memory.service.values import Json

PATIENCE_S = 60.0
"""How long a test waits for what has to come; only a failing test waits that long."""

type Work = Callable[[Request], Awaitable[Json]]


def asked(data: Json = None, **attributes: Json) -> dict[str, Any]:
    """Return a request as it comes over the wire."""
    meta = {"source": {"type": "agent-loop", "id": "loop"}, "scope": "/work/harbor", "attributes": attributes}
    return {"meta": meta, "data": data}


def meta(scope: str = "/work/harbor", **attributes: Json) -> Meta:
    return Meta(Source("consumer", "tests"), scope, attributes=attributes)


def serving(*plugins: Any, **settings: Any) -> MemoryService:
    """Return a service with a registry of its own."""
    registry = Registry()
    for plugin in plugins:
        registry.register(plugin)
    return MemoryService(registry, lambda: parse(settings))


async def soon[Value](awaitable: Awaitable[Value]) -> Value:
    """Wait for what has to come."""
    async with asyncio.timeout(PATIENCE_S):
        return await awaitable


async def until(is_so: Callable[[], object]) -> None:
    """Let the loop go on until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await asyncio.sleep(0.001)


async def in_database(is_so: Callable[[], object]) -> None:
    """Wait until the database says so."""
    async with asyncio.timeout(PATIENCE_S):
        while not await books.do(is_so):
            await asyncio.sleep(0.01)


@dataclass(slots=True)
class Plugin:
    """Answers with what `work` returns, or with its own id."""

    id: str
    work: Work | None = None
    requests: list[Request] = field(default_factory=list)

    async def update(self, request: Request) -> Json:
        return await self._do(request)

    async def retrieve(self, request: Request) -> Json:
        return await self._do(request)

    async def _do(self, request: Request) -> Json:
        self.requests.append(request)
        return await self.work(request) if self.work else self.id


@dataclass(slots=True)
class Picky(Plugin):
    """A plugin with a filter."""

    wants: Callable[[Call], bool] = lambda _: True
    calls: list[Call] = field(default_factory=list)

    def accepts(self, call: Call) -> bool:
        self.calls.append(call)
        return self.wants(call)


@dataclass(slots=True)
class Opened:
    """An open feed of a Log."""

    log: Log
    cursor: str

    async def __aiter__(self) -> AsyncIterator[PluginChange]:
        place = int(self.cursor)
        while True:
            while place >= len(self.log.changes):
                if self.log.broken:
                    raise self.log.broken.pop(0)
                if self.log.is_ended:
                    return
                await self.log.wait()
            place += 1
            yield self.log.changes[place - 1]


@dataclass(slots=True)
class Log(Plugin):
    """A plugin whose changes are a list; a cursor is how many were told."""

    changes: list[PluginChange] = field(default_factory=list)
    broken: list[Exception] = field(default_factory=list)
    """What goes wrong, one after the other, when everything was told."""
    is_ended: bool = False
    opened: list[str | None] = field(default_factory=list)
    """The cursors that it was opened after."""
    closed: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[Opened]:
        self._news = asyncio.Event()  # of this loop: a log may outlive it
        self.opened.append(after)
        if after is not None and int(after) > len(self.changes):
            raise MemorySubscriptionError("the log was cut", reset_required=True)
        try:
            yield Opened(self, str(len(self.changes)) if after is None else after)
        finally:
            self.closed += 1

    def tell(self, *ids: str) -> None:
        """Append changes of these memories."""
        for one in ids:
            self.changes.append(PluginChange(str(len(self.changes) + 1), one, {"number": len(self.changes) + 1}))
        self._news.set()

    def fail(self, *errors: Exception) -> None:
        """Break the open feed with the first of these, and the ones that are opened then with the others."""
        self.broken.extend(errors)
        self._news.set()

    def end(self) -> None:
        self.is_ended = True
        self._news.set()

    async def wait(self) -> None:
        self._news.clear()
        await self._news.wait()


@dataclass(slots=True)
class Store:
    """Cursors in memory, with a diary; `trouble` is raised by the next save of that cursor."""

    cursors: dict[str, str] = field(default_factory=dict)
    diary: list[str] = field(default_factory=list)
    trouble: dict[str, Exception] = field(default_factory=dict)

    async def load(self, plugin_id: str) -> str | None:
        self.diary.append("load")
        return self.cursors.get(plugin_id)

    async def save(self, plugin_id: str, cursor: str) -> None:
        await asyncio.sleep(0)
        if cursor in self.trouble:
            raise self.trouble.pop(cursor)
        self.diary.append(f"save {cursor}")
        self.cursors[plugin_id] = cursor

    async def delete(self, plugin_id: str) -> None:
        self.cursors.pop(plugin_id, None)


@dataclass(slots=True)
class Ear:
    """A handler that remembers what it was told, and errors of the subscription."""

    heard: list[str] = field(default_factory=list)
    changes: list[MemoryChange] = field(default_factory=list)
    errors: list[tuple[str, MemorySubscriptionError]] = field(default_factory=list)

    async def handle(self, change: MemoryChange) -> None:
        self.heard.append(change.memory_id)
        self.changes.append(change)

    def on_error(self, plugin_id: str, error: MemorySubscriptionError) -> None:
        self.errors.append((plugin_id, error))

    async def hears(self, *ids: str) -> None:
        """Wait until exactly these were heard, in this order."""
        await until(lambda: len(self.heard) >= len(ids))
        assert self.heard == list(ids)
