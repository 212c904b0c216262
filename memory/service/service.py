"""Tells and asks all plugins that a call concerns, at the same time, and answers with one outcome each.

Source of the semantics: dsh-patchouli's Common Memory Service. Added: deadlines for updates too, plugins that are
really cancelled, a copy of the request for each, codes and durations in outcomes, updates done once a `requestId`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.service import calls, receipts
from memory.service.calls import Hear
from memory.service.cursors import CursorStore
from memory.service.registry import Registration, Registry, plugins
from memory.service.routing import Settings, parse
from memory.service.subscriptions import OnError, Subscription
from memory.service.types import Call, Failure, Handler, Meta, Operation, Outcome, Request
from memory.service.watch import Watch


@dataclass(slots=True)
class MemoryService:
    """The one door to all memory of this process; see `memory.service.plugins` for what is behind it."""

    registry: Registry = field(default_factory=Registry)
    settings: Callable[[], Settings] = Settings
    watch: Watch = field(default_factory=Watch)

    async def update(self, request: Request | dict[str, Any]) -> list[Outcome]:
        """Let every plugin that wants it take something in. Raises BadRequest, RequestConflict, RequestBusy.

        With a `requestId` a repeated update reaches only the plugins that failed before; the others answer again what
        they answered then. The same id with other data is a RequestConflict.
        """
        asked, rows, settings = _parsed(request), self.registry.rows(), self.settings()
        if not asked.meta.request_id:
            return await self._dispatch(Operation.UPDATE, asked, rows, settings)
        longest = max((settings.deadline(row.id, Operation.UPDATE) for row in rows), default=0.0)
        async with receipts.claimed(asked, within=longest) as receipt:
            left = [row for row in rows if row.id not in receipt.done]
            outcomes = await self._dispatch(Operation.UPDATE, asked, left, settings, receipt.note)
            return receipt.with_earlier(outcomes, order=[row.id for row in rows])

    async def retrieve(self, request: Request | dict[str, Any]) -> list[Outcome]:
        """Ask every plugin that the question concerns. Raises BadRequest."""
        return await self._dispatch(Operation.RETRIEVE, _parsed(request), self.registry.rows(), self.settings())

    def subscribe(
        self,
        request: Meta | dict[str, Any],
        handler: Handler,
        *,
        cursor_store: CursorStore,
        on_error: OnError | None = None,
    ) -> Subscription:
        """Follow every plugin that can be followed and wants it; returns at once, and works in this event loop.

        `request` is `{meta}`; `handler` is awaited for each change, one after the other for each plugin, and at least
        once: see `memory.service.subscriptions`. Raises BadRequest.
        """
        meta = request.copy() if isinstance(request, Meta) else Meta.parse(request.get("meta"))
        return Subscription(self.registry, self.settings(), meta, handler, cursor_store, on_error)

    async def _dispatch(
        self,
        operation: Operation,
        request: Request,
        rows: Sequence[Registration],
        settings: Settings,
        heard: Hear = lambda _: None,
    ) -> list[Outcome]:
        """Ask the plugins that are concerned; each outcome is heard as it comes, also of a call that is given up."""

        def hear(outcome: Outcome) -> None:
            self.watch.note(outcome)
            heard(outcome)

        routed = Call(operation, request.meta)
        begun = [_start(row, routed, request, settings, hear) for row in rows]
        return await _all([one for one in begun if one])


def _start(
    row: Registration, routed: Call, request: Request, settings: Settings, hear: Hear
) -> asyncio.Task[Outcome] | Failure | None:
    """Begin a plugin's call where it is concerned; a filter that raises is its failure."""
    try:
        if not row.accepts(routed, settings):
            return None
    except Exception as exc:  # noqa: BLE001 - a plugin's own code
        failure = Failure(row.id, calls.words(exc), "filter")
        hear(failure)
        return failure

    deadline = settings.deadline(row.id, routed.operation)
    return asyncio.create_task(calls.call(row, routed.operation, request, deadline=deadline, hear=hear))


async def _all(begun: Sequence[asyncio.Task[Outcome] | Failure]) -> list[Outcome]:
    """Wait for all, in their order. When the caller gives up, every plugin is stopped before that goes on."""
    tasks = [one for one in begun if isinstance(one, asyncio.Task)]
    try:
        if tasks:
            await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    return [one if isinstance(one, Failure) else one.result() for one in begun]


def _parsed(request: Request | dict[str, Any]) -> Request:
    return request.copy() if isinstance(request, Request) else Request.parse(request)


def _configured() -> Settings:
    from django.conf import settings

    return parse(settings.MEMORY_SERVICE)


service = MemoryService(plugins, _configured)
"""The service of this process, with the plugins of this process."""
