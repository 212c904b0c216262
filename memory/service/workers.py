"""One worker follows one plugin: load the cursor, open the feed, save where it begins, then handle and save, in turn."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass

from django.db import InterfaceError, OperationalError

from memory.service.calls import GRACE_S, words
from memory.service.cursors import LEASE_S, CursorStore, Leasing, Reporting
from memory.service.errors import LeaseLost, MemorySubscriptionError
from memory.service.plugins import ChangeFeed, ChangeSource, PluginChange
from memory.service.registry import Registration
from memory.service.types import MemoryChange, Meta
from memory.service.values import copied

FIRST_DELAY_S, LONGEST_DELAY_S = 0.25, 30.0
STANDBY_S = LEASE_S / 6
"""Seconds between two looks whether another process let go of the lease, and between two renewals of ours."""

CLOSING_S = 5.0
"""Seconds that a plugin may take to end its feed."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a worker broke off; `is_final` when it does not go on by itself."""

    plugin_id: str
    error: MemorySubscriptionError
    is_final: bool


class _Stopped(Exception):
    """The worker was asked to stop, at a point where it only waited."""


def delay(failures: int, jitter: float = 0.0) -> float:
    """Return the seconds before a retry after so many failures without progress; `jitter` is a share from 0 to 1."""
    base: float = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** min(failures, 16))
    return base + jitter * min(base, 1.0)


def classified(error: BaseException) -> MemorySubscriptionError:
    """Return what broke a subscription as such an error: whatever is not one is unknown, and not tried again.

    Only our own database, busy or away for a while, is worth another try whoever ran into it.
    """
    if isinstance(error, MemorySubscriptionError):
        return error
    found = MemorySubscriptionError(words(error), retryable=isinstance(error, OperationalError | InterfaceError))
    found.__cause__ = error
    return found


class Worker:
    """Runs as a task until it is stopped, its feed ends, or it breaks for good.

    Stopping interrupts it only where it waits: for its lease, the plugin, the next change, a retry. A handler that
    runs ends first, and its cursor is saved. `after` is an earlier worker for the same plugin, which ends first.
    """

    def __init__(
        self,
        row: Registration,
        meta: Meta,
        handler: Callable[[MemoryChange], Awaitable[None]],
        store: CursorStore,
        broken: Callable[[Broken], None],
        over: Callable[[Worker], None],
        *,
        after: Worker | None = None,
    ) -> None:
        assert isinstance(row.plugin, ChangeSource)  # noqa: S101 - the subscription looked
        self.id, self._plugin, self._meta = row.id, row.plugin, meta
        self._handler, self._store, self._broken, self._over = handler, store, broken, over
        self._cursor: str | None = None
        self._failures = 0
        self._is_stopping = self._is_waiting = False
        self.idle = asyncio.Event()
        self.idle.set()
        self._lease: asyncio.Task[None] | None = None
        self._lost: LeaseLost | None = None
        self._ended = asyncio.Event()
        self._seen_off: asyncio.Task[None] | None = None
        self._task = asyncio.create_task(self._run(after), name=f"follow {row.id}")

    @property
    def is_over(self) -> bool:
        """Tell whether it has ended, or was left behind because its plugin does not let go."""
        return self._ended.is_set()

    async def ended(self) -> None:
        await self._ended.wait()

    def stop(self) -> None:
        """Ask it to end; returns at once."""
        if self._is_stopping:
            return
        self._is_stopping = True
        if self._is_waiting:
            self._task.cancel()
        self._seen_off = asyncio.create_task(self._see_off(), name=f"end of following {self.id}")

    async def _run(self, after: Worker | None) -> None:
        try:
            if after:
                await self._wait(after.ended())
            await self._follow()
        except _Stopped:
            pass
        finally:
            await self._let_go()
            self._end()

    async def _see_off(self) -> None:
        """Wait for a handler as long as it takes, but for the plugin only as long as it may take."""
        await self.idle.wait()
        done, _ = await asyncio.wait({self._task}, timeout=CLOSING_S + GRACE_S)
        if not done:
            logger.warning("the memory plugin %s does not let go of its feed; it is left behind", self.id)
            await self._let_go()
            self._end()

    def _end(self) -> None:
        if not self._ended.is_set():
            self._ended.set()
            self._over(self)

    async def _follow(self) -> None:
        while not self._is_stopping:
            try:
                await self._hold()
                self._cursor = await self._wait(self._store.load(self.id))
                await self._read()
            except _Stopped:
                raise
            except asyncio.CancelledError as exc:
                if (task := asyncio.current_task()) and task.cancelling():
                    raise
                error = MemorySubscriptionError("it was cancelled from inside")
                error.__cause__ = exc
            except Exception as exc:  # noqa: BLE001 - plugins, handlers and stores are other people's code
                error = classified(exc)
            else:
                await self._report(MemorySubscriptionError("the plugin ended its feed"), is_final=True)
                return
            if not await self._take(error):
                return

    async def _read(self) -> None:
        """Follow the feed to its end."""
        opened = self._plugin.open_changes(self._meta.copy(), self._cursor)
        feed = await self._wait(opened.__aenter__())
        try:
            await self._save(_cursor(feed.cursor))
            await self._handle_all(feed)
        except BaseException as exc:
            await self._close(opened, exc)
            raise
        else:
            async with asyncio.timeout(CLOSING_S):
                await opened.__aexit__(None, None, None)

    async def _close(self, opened: AbstractAsyncContextManager[ChangeFeed], error: BaseException) -> None:
        """Leave a feed that broke; what goes wrong there is not the first thing that went wrong."""
        with suppress(Exception):
            async with asyncio.timeout(CLOSING_S):
                await opened.__aexit__(type(error), error, error.__traceback__)

    async def _handle_all(self, feed: ChangeFeed) -> None:
        changes = feed.__aiter__()
        while not self._is_stopping:
            try:
                change = await self._wait(changes.__anext__())
            except StopAsyncIteration:
                return
            if _cursor(change.cursor) != self._cursor:
                self.idle.clear()
                try:
                    await self._handle(change)
                finally:
                    self.idle.set()
        raise _Stopped

    async def _handle(self, change: PluginChange) -> None:
        if self._lost:
            raise self._lost
        if not change.is_checkpoint:
            await self._handler(self._told(change))
        await self._save(change.cursor)
        self._failures = 0

    def _told(self, change: PluginChange) -> MemoryChange:
        metadata = copied(dict(change.metadata), "metadata") if change.metadata is not None else None
        assert metadata is None or isinstance(metadata, dict)  # noqa: S101 - a copied object is one
        return MemoryChange(self.id, change.cursor, change.memory_id, metadata)

    async def _save(self, cursor: str) -> None:
        if cursor != self._cursor:
            await self._store.save(self.id, cursor)
            self._cursor = cursor

    async def _take(self, error: MemorySubscriptionError) -> bool:
        """Report an error; wait where it may be tried again, and tell whether to."""
        is_final = error.reset_required or not error.retryable
        await self._report(error, is_final=is_final)
        if is_final:
            return False
        if isinstance(error, LeaseLost):
            await self._let_go()
        seconds = delay(self._failures, random.random())  # noqa: S311 - spreads retries, guards nothing
        self._failures += 1
        await self._wait(asyncio.sleep(seconds))
        return True

    async def _report(self, error: MemorySubscriptionError, *, is_final: bool) -> None:
        if isinstance(self._store, Reporting):
            with suppress(Exception):  # the consumer is told all the same
                await self._store.report(self.id, words(error), is_stopped=is_final)
        self._broken(Broken(self.id, error, is_final))

    async def _wait[Value](self, awaitable: Awaitable[Value]) -> Value:
        """Wait where stopping may interrupt. Raises _Stopped."""
        self._is_waiting = True
        try:
            if self._is_stopping:
                if asyncio.iscoroutine(awaitable):
                    awaitable.close()
                raise _Stopped
            return await awaitable
        except asyncio.CancelledError:
            if self._is_stopping:
                raise _Stopped from None
            raise
        finally:
            self._is_waiting = False

    async def _hold(self) -> None:
        """Take the lease, waiting for another process to let go, and keep it."""
        if not isinstance(self._store, Leasing) or (self._lease and not self._lease.done()):
            return
        self._lost = None
        while not await self._wait(self._store.acquire(self.id)):
            await self._wait(asyncio.sleep(STANDBY_S))
        self._lease = asyncio.create_task(self._renew(self._store), name=f"lease on {self.id}")

    async def _renew(self, store: Leasing) -> None:
        while True:
            await asyncio.sleep(STANDBY_S)
            try:
                is_ours = await store.acquire(self.id)
            except Exception:
                logger.warning("the lease on %s was not renewed", self.id, exc_info=True)
                continue
            if not is_ours:
                self._lost = LeaseLost(self.id)
                return

    async def _let_go(self) -> None:
        """Give the lease back, also one that was being taken when the worker was stopped."""
        if not isinstance(self._store, Leasing):
            return
        if self._lease:
            self._lease.cancel()
            await asyncio.wait({self._lease}, timeout=GRACE_S)
            self._lease = None
        with suppress(Exception):
            await self._store.release(self.id)


def _cursor(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise MemorySubscriptionError("the plugin gave a cursor that is empty, or no text")
    return value
