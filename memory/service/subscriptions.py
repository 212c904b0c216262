"""Follows plugins for a consumer: one worker each, at least once, in order, from durable cursors.

Source of the semantics: dsh-patchouli, subscriptions. Different on purpose: plugins that come later join, one that
goes is no longer followed; what was handled is saved also while shutting down; a feed that ends, and a worker that
stopped for good, are visible; `unsubscribe` may be awaited inside the handler.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from memory.service.calls import words
from memory.service.cursors import CursorStore
from memory.service.errors import MemorySubscriptionError
from memory.service.registry import Registration, Registry
from memory.service.routing import Settings
from memory.service.types import Call, Handler, MemoryChange, Meta, Operation
from memory.service.workers import Broken, Worker

logger = logging.getLogger(__name__)

type OnError = Callable[[str, MemorySubscriptionError], None]
"""Is told the plugin's id and why following it broke; whatever it raises is logged and changes nothing."""


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """Why a plugin is not followed any more."""

    plugin_id: str
    error: str
    retryable: bool = False
    reset_required: bool = False


_INSIDE: ContextVar[frozenset[int]] = ContextVar("subscriptions whose handler is running", default=frozenset())


class Subscription:
    """What `MemoryService.subscribe` returns; lives in the event loop that it was made in."""

    def __init__(
        self,
        registry: Registry,
        settings: Settings,
        meta: Meta,
        handler: Handler,
        store: CursorStore,
        on_error: OnError | None,
    ) -> None:
        self.failures: list[WorkerFailure] = []
        self._registry, self._settings, self._meta = registry, settings, meta
        self._handler, self._store, self._on_error = handler, store, on_error
        self._workers: dict[str, Worker] = {}
        self._leaving: list[Worker] = []
        self._seen: dict[str, Registration] = {}
        self._closed = asyncio.Event()
        self._is_stopping = False
        self._loop = asyncio.get_running_loop()
        self._stop_listening = registry.listen(self._look_soon)
        self._look()

    @property
    def plugin_ids(self) -> list[str]:
        """Return the plugins that are followed now."""
        return [plugin_id for plugin_id, worker in self._workers.items() if not worker.is_over]

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    async def closed(self) -> None:
        """Wait until nothing is followed any more: unsubscribed, or every worker ended."""
        await self._closed.wait()

    async def unsubscribe(self) -> None:
        """Stop following, any number of times: running handlers end first, and their cursors are saved.

        Inside the handler it only asks for that and returns, since the handler cannot wait for its own end.
        """
        self._begin_to_stop()
        if id(self) not in _INSIDE.get():
            await self._closed.wait()

    def _begin_to_stop(self) -> None:
        if not self._is_stopping:
            self._is_stopping = True
            self._stop_listening()
            for worker in self._workers.values():
                worker.stop()
            self._settle()

    def _look_soon(self) -> None:
        """Registrations may change in any thread, also when this loop is over and nobody unsubscribed."""
        try:
            self._loop.call_soon_threadsafe(self._look)
        except RuntimeError:
            self._stop_listening()

    def _look(self) -> None:
        """Follow plugins that are new and stop following those that went away."""
        if self._is_stopping:
            return
        rows = {row.id: row for row in self._registry.rows()}
        for plugin_id in [known for known, row in self._seen.items() if rows.get(known) is not row]:
            self._forget(plugin_id)
        for row in rows.values():
            if row.id not in self._seen:
                self._seen[row.id] = row
                if self._wants(row):
                    self._follow(row)

    def _forget(self, plugin_id: str) -> None:
        del self._seen[plugin_id]
        worker = self._workers.pop(plugin_id, None)
        if worker and not worker.is_over:
            self._leaving.append(worker)
            worker.stop()

    def _wants(self, row: Registration) -> bool:
        try:
            return row.is_followable and row.accepts(Call(Operation.SUBSCRIBE, self._meta), self._settings)
        except Exception as exc:  # noqa: BLE001 - a plugin's own code
            self._tell(row.id, MemorySubscriptionError(f"its filter failed: {words(exc)}"))
            return False

    def _follow(self, row: Registration) -> None:
        before = next((worker for worker in reversed(self._leaving) if worker.id == row.id), None)
        self._workers[row.id] = Worker(
            row, self._meta, self._handle, self._store, self._broken, self._over, after=before
        )

    def _over(self, worker: Worker) -> None:
        self._leaving = [one for one in self._leaving if one is not worker]
        self._settle()

    async def _handle(self, change: MemoryChange) -> None:
        token = _INSIDE.set(_INSIDE.get() | {id(self)})
        try:
            await self._handler(change)
        finally:
            _INSIDE.reset(token)

    def _broken(self, broken: Broken) -> None:
        """Take a worker's trouble: told to the consumer, and kept where it is for good."""
        if broken.is_final:
            error = broken.error
            failure = WorkerFailure(broken.plugin_id, words(error), error.retryable, error.reset_required)
            self.failures.append(failure)
        self._tell(broken.plugin_id, broken.error)

    def _tell(self, plugin_id: str, error: MemorySubscriptionError) -> None:
        if self._on_error is None:
            logger.warning("following the memory plugin %s broke: %s", plugin_id, error)
            return
        try:
            self._on_error(plugin_id, error)
        except Exception:
            logger.exception("an error handler of a subscription failed")

    def _settle(self) -> None:
        """Close once no worker runs and none will come back; while no plugin is wanted, one may still come."""
        running = [worker for worker in (*self._workers.values(), *self._leaving) if not worker.is_over]
        if not running and (self._is_stopping or self._workers):
            self._is_stopping = True
            self._stop_listening()
            self._closed.set()
