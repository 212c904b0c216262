"""The reader: while anybody follows, it reads each change once and keeps the newest at hand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connections

from memory.feed import layer, reading, watch
from memory.feed.bell import Bell
from memory.feed.tail import Item, Tail
from memory.feed.watch import Ring

TICK_S = 1.5
"""How late a change may be when no bell rings."""

logger = logging.getLogger("memdock.feed")


class Reader:
    """Reads what follows `head` until it is stopped."""

    def __init__(self, head: int) -> None:
        self.tail = Tail(head)
        self._bell = Bell()
        self._moved = asyncio.Event()
        # A thread of its own: a thousand handshakes in the shared ones must not delay a change.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memdock-feed")
        self._task = asyncio.create_task(self._run())

    async def moved_past(self, cursor: int) -> None:
        """Wait until the tail holds something after the cursor."""
        while self.tail.head <= cursor:
            await self._moved.wait()

    async def stop(self) -> None:
        """End the reading and close its connections."""
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            with self._bell.hung():
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._hear("Commits of other processes", watch.commits))
                    tasks.create_task(self._hear("Rings of the channel layer", layer.rings))
                    tasks.create_task(self._read_on())
        finally:
            await asyncio.get_running_loop().run_in_executor(self._thread, connections.close_all)
            await asyncio.to_thread(self._thread.shutdown)  # it has nothing left to do, but its end takes a moment

    async def _hear(self, what: str, listen: Callable[[Ring], Awaitable[None]]) -> None:
        try:
            await listen(self._bell.ring)
        except Exception:  # nothing depends on it
            logger.exception("%s are not heard; changes are seen by the tick.", what)

    async def _read_on(self) -> None:
        while True:
            items = await self._next()
            if items:
                self.tail.extend(items)
                self._moved.set()
                self._moved = asyncio.Event()
            if len(items) < reading.PAGE:
                await self._bell.wait(TICK_S)

    async def _next(self) -> list[Item]:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, _page, self.tail.head)
        except Exception:  # whatever it was, followers wait for the next try rather than for ever
            logger.exception("The change feed cannot be read; trying again.")
            await asyncio.sleep(TICK_S)
            return []


def _page(cursor: int) -> list[Item]:
    """Read on the thread's own connection, which stays open while all goes well."""
    try:
        return reading.page(cursor)
    except Exception:
        connections.close_all()
        raise
