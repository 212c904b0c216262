"""The feed of one event loop: everything after a cursor, once and in order, then what is being committed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from memory import changes
from memory.api.shapes import ChangeJson
from memory.feed import reading
from memory.feed.reader import Reader
from memory.feed.reading import in_thread
from memory.feed.tail import Item
from memory.models import Project


class Feed:
    """Shares one reader among all followers; it starts with the first and stops with the last."""

    def __init__(self) -> None:
        self._reader: Reader | None = None
        self._followers = 0
        self._starting = asyncio.Lock()

    async def follow(self, since: int, project: Project | None = None) -> AsyncGenerator[list[ChangeJson]]:
        """Yield batches of changes with id > since, each change once and in order, without end.

        The next batch is read when it is asked for, so a slow follower holds one batch only. Close the generator
        (`contextlib.aclosing`) when done. Raises ResetRequired when the cursor is unknown, or when the log was trimmed
        past it meanwhile.
        """
        await in_thread(changes.check, since)
        async with self._reading() as reader:
            cursor = since
            while True:
                await reader.moved_past(cursor)
                items, cursor = await _next(reader, cursor, project)
                if items:
                    yield [item.change for item in items]

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Reader]:
        self._followers += 1
        try:
            yield await self._started()
        finally:
            self._followers -= 1
            if not self._followers:
                await self._stop()

    async def _started(self) -> Reader:
        async with self._starting:
            if self._reader is None:
                self._reader = Reader(await in_thread(changes.latest))
            return self._reader

    async def _stop(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            await reader.stop()


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, Feed] = WeakKeyDictionary()


def current() -> Feed:
    """Return the feed of the running event loop."""
    return _feeds.setdefault(asyncio.get_running_loop(), Feed())


async def _next(reader: Reader, cursor: int, project: Project | None) -> tuple[list[Item], int]:
    """Return a batch after the cursor, and the cursor up to which nothing was missed."""
    if reader.tail.covers(cursor):
        items = reader.tail.after(cursor, limit=reading.PAGE)
        wanted = [item for item in items if project is None or item.project_id == project.pk]
        return wanted, items[-1].id
    head = reader.tail.head  # what was committed before this query began is in it
    items = await in_thread(reading.whole_page, cursor, project=project)
    if len(items) == reading.PAGE:
        return items, items[-1].id
    return items, max(head, items[-1].id if items else cursor)
