"""What the memory service costs: a retrieval beside the search that it asks, and changes that one subscriber takes."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory import changes
from memory.audit import COMMAND
from memory.changes import Note
from memory.models import Project
from memory.plugins.journal.plugin import JournalPlugin
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.projects import actions, sync
from memory.search import index
from memory.search.query import search
from memory.search.types import Filters
from memory.service.cursors import CursorStore, DatabaseCursorStore, MemoryCursorStore
from memory.service.plugins import PluginChange
from memory.service.registry import Registry
from memory.service.service import MemoryService
from memory.service.types import MemoryChange, Meta, Request, Source
from memory.service.values import Json
from tests.bench.result import Result, percentile
from tests.makers import make_generated_tree

ENTRIES = 5000
ROUNDS = 300
CHANGES = 10_000
QUESTIONS = ("lease expired", "why is the worker slow", "rename of the config file", "who deleted the index")


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "harbor"
        make_generated_tree(tree, "--size", str(ENTRIES))
        project, _ = actions.add(path=str(tree), actor=COMMAND, at=timezone.now())
        sync.sync(project, at=timezone.now())
        index.follow()
        yield from _retrieve(project)
    before = changes.latest()
    _append()
    yield from asyncio.run(_follow(str(before)))


def _retrieve(project: Project) -> list[Result]:
    """Ask the search and the service in turn, so that whatever the machine does meanwhile is done to both."""
    one, both, none = serving(JournalPlugin()), serving(JournalPlugin(), ObservationsPlugin()), serving(_Nothing())
    alone, through, together, empty = list[float](), list[float](), list[float](), list[float]()
    with asyncio.Runner() as loop:
        for number in range(ROUNDS + 20):
            question = QUESTIONS[number % len(QUESTIONS)]
            asked = _asked({"query": question}, project.root)
            start = time.perf_counter()
            search(question, filters=Filters(project=project.name), limit=60)
            alone.append(time.perf_counter() - start)
            for service, times in ((one, through), (both, together), (none, empty)):
                start = time.perf_counter()
                loop.run(service.retrieve(asked))
                times.append(time.perf_counter() - start)
    added = [1000 * (service - own) for service, own in zip(through, alone, strict=True)][20:]
    return [
        Result("service", f"search alone, {ENTRIES:,} entries, p50", _p50(alone), "ms"),
        Result("service", "retrieve by one plugin adds to that, p50", statistics.median(added), "ms", 1),
        Result("service", "retrieve by both of our plugins, p50", _p50(together), "ms"),
        Result("service", "retrieve by a plugin that does nothing, p50", _p50(empty), "ms", 1),
    ]


async def _follow(before: str) -> list[Result]:
    log, journal = _Log(CHANGES), JournalPlugin()
    return [
        await _measure("a plugin's feed, cursors in memory", log, MemoryCursorStore({"log": "0"})),
        await _measure("a plugin's feed, cursors in the database", log, await _store("log", "0"), goal=10_000),
        await _measure("MemDock's feed, cursors in the database", journal, await _store("journal", before)),
    ]


async def _measure(what: str, plugin: Any, store: CursorStore, *, goal: float | None = None) -> Result:
    """Let a handler that does nothing take all changes."""
    done, told = asyncio.Event(), 0

    async def handle(_change: MemoryChange) -> None:
        nonlocal told
        told += 1
        if told == CHANGES:
            done.set()

    start = time.perf_counter()
    subscription = serving(plugin).subscribe(_meta("*"), handle, cursor_store=store)
    await done.wait()
    await subscription.unsubscribe()
    rate = CHANGES / (time.perf_counter() - start)
    return Result("service", f"changes taken: {what}", rate, "/s", goal, is_floor=True)


def serving(*plugins: Any) -> MemoryService:
    registry = Registry()
    for plugin in plugins:
        registry.register(plugin)
    return MemoryService(registry)


async def _store(plugin_id: str, cursor: str) -> DatabaseCursorStore:
    store = DatabaseCursorStore("bench", "changes", "*")
    await store.save(plugin_id, cursor)
    return store


def _meta(scope: str) -> Meta:
    return Meta(Source("bench", "bench"), scope)


def _asked(data: Json, scope: str) -> Request:
    return Request(_meta(scope), data)


def _p50(times: list[float]) -> float:
    return 1000 * percentile(times[20:], 50)


class _Nothing:
    id = "nothing"

    async def update(self, request: Request) -> Json: ...

    async def retrieve(self, request: Request) -> Json: ...


@dataclass(frozen=True)
class _Feed:
    cursor: str
    last: int

    async def __aiter__(self) -> AsyncIterator[PluginChange]:
        for number in range(int(self.cursor) + 1, self.last + 1):
            yield PluginChange(str(number), f"m{number}", {"title": "A change"})
        await asyncio.Event().wait()


@dataclass(frozen=True)
class _Log(_Nothing):
    """A plugin whose changes cost nothing."""

    last: int
    id: str = "log"

    @asynccontextmanager
    async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[_Feed]:
        yield _Feed(after or "0", self.last)


def _append() -> None:
    for first in range(0, CHANGES, 500):
        with transaction.atomic():
            notes = [Note("entry.added", f"entry:{number}") for number in range(first, first + 500)]
            changes.append(notes, project=None, at=timezone.now())
