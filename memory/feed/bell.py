"""The bell: wakes the reader of one event loop, from whatever thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memory.changes import rung


class Bell:
    """Remembers that it was rung until somebody has waited for it; many rings are one."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._was_rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the waiter; safe from any thread."""
        with suppress(RuntimeError):  # the loop closed in the meantime: nobody waits any more
            self._loop.call_soon_threadsafe(self._was_rung.set)

    async def wait(self, timeout: float) -> None:
        """Return when the bell rings, or after `timeout` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._was_rung.wait()
        self._was_rung.clear()

    @contextmanager
    def hung(self) -> Iterator[None]:
        """Ring after each commit of this process that appended to the feed."""
        rung.connect(self._hear)
        try:
            yield
        finally:
            rung.disconnect(self._hear)

    def _hear(self, **_signal: object) -> None:
        self.ring()
