"""Consumers: whoever follows the plugins' changes in a process of its own, and goes on where it stopped."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from memory import locks
from memory.service.cursors import DatabaseCursorStore
from memory.service.errors import MemorySubscriptionError
from memory.service.plugins import EVERYWHERE, ChangeSource
from memory.service.service import MemoryService
from memory.service.subscriptions import Subscription, WorkerFailure
from memory.service.types import Handler, Meta, Source
from memory.service.values import Json

KEY = "changes"
"""The subscription key of all consumers: each has one subscription."""

type Resync = Callable[[str], Awaitable[None]]
"""Reads a plugin's whole memory anew, by the plugin's id."""

logger = logging.getLogger("memdock.consumers")


@dataclass(frozen=True, slots=True)
class Consumer:
    """What is done for each change, in which scope, and how to begin anew where a plugin forgot the cursor.

    `handler` comes at least once for each change, in order for each plugin; what it does has to bear repetition.
    """

    name: str
    handler: Handler
    scope: str = EVERYWHERE
    attributes: Mapping[str, Json] = field(default_factory=dict)
    resync: Resync | None = None

    @property
    def meta(self) -> Meta:
        return Meta(Source("consumer", self.name), self.scope, attributes=self.attributes)

    def store(self) -> DatabaseCursorStore:
        """Return its cursors. The lease is this data directory's, whose lock lets one process run the consumer."""
        return DatabaseCursorStore(self.name, KEY, self.scope, owner=settings.INSTANCE_ID)


registered: dict[str, Consumer] = {}
"""The consumers of this process, by name."""


def consumer(
    name: str,
    *,
    scope: str = EVERYWHERE,
    attributes: Mapping[str, Json] | None = None,
    resync: Resync | None = None,
) -> Callable[[Handler], Handler]:
    """Register the decorated coroutine function as a consumer's handler. Raises ValueError for a name that is taken.

    A package does so in the module that its plugin is loaded from.
    """

    def register(handler: Handler) -> Handler:
        if not name.strip() or name in registered:
            raise ValueError(f"a consumer needs a name of its own: {name!r}")
        registered[name] = Consumer(name, handler, scope, attributes or {}, resync)
        return handler

    return register


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Be the only process of this data directory that runs the consumer. Raises locks.Taken."""
    path = Path(settings.DATA_DIR) / f"consumer-{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
    with locks.held(path, waits=False):
        yield


async def run(consumer: Consumer, service: MemoryService, *, stop: asyncio.Event) -> list[WorkerFailure]:
    """Follow until `stop` is set, or until nothing is followed any more; return why plugins are not followed.

    What a plugin forgot the cursor of is read anew where the consumer can do that, and followed again from there.
    """
    while True:
        subscription, lost = await _follow(consumer, service, stop)
        if stop.is_set() or not lost or consumer.resync is None:
            return subscription.failures
        for plugin_id in sorted(lost):
            await _start_over(consumer, consumer.resync, service, plugin_id)


async def _follow(consumer: Consumer, service: MemoryService, stop: asyncio.Event) -> tuple[Subscription, set[str]]:
    """Follow until that is to stop; return the closed subscription, and the plugins to begin anew with."""
    lost, has_lost = set[str](), asyncio.Event()

    def hear(plugin_id: str, error: MemorySubscriptionError) -> None:
        logger.warning("The consumer %s, following %s: %s", consumer.name, plugin_id, error)
        if error.reset_required and consumer.resync:
            lost.add(plugin_id)
            has_lost.set()

    subscription = service.subscribe(consumer.meta, consumer.handler, cursor_store=consumer.store(), on_error=hear)
    try:
        await _first(stop.wait(), has_lost.wait(), subscription.closed())
    finally:
        await subscription.unsubscribe()
    return subscription, lost


async def _first(*waits: Coroutine[Any, Any, object]) -> None:
    tasks = [asyncio.create_task(one) for one in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _start_over(consumer: Consumer, resync: Resync, service: MemoryService, plugin_id: str) -> None:
    """Read a plugin anew, then put the cursor where it was before that; killed in between, all of it is done again."""
    row = service.registry.find(plugin_id)
    if row is None or not isinstance(row.plugin, ChangeSource):
        return
    async with row.plugin.open_changes(consumer.meta, None) as feed:
        end = feed.cursor
    await resync(plugin_id)
    await consumer.store().save(plugin_id, end)
