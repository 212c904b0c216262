"""Calls one plugin within its deadline, and makes an outcome of whatever comes of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import perf_counter

from memory.service.registry import Registration
from memory.service.types import Failure, Operation, Outcome, Request, Success
from memory.service.values import Json, copied

GRACE_S = 1.0
"""How long a cancelled plugin has to stop before nobody waits for it any more."""

LONGEST_ERROR = 2000
"""Characters that are kept of what an exception says."""

logger = logging.getLogger(__name__)


type Hear = Callable[[Outcome], None]


async def call(row: Registration, operation: Operation, request: Request, *, deadline: float, hear: Hear) -> Outcome:
    """Return the outcome of one plugin; it has a copy of the request. Only the caller's own cancellation is raised.

    The plugin runs in a task of its own, so that it can be cancelled for real, and left behind when it ignores that.
    The outcome is heard, also where the caller gave up and the plugin was done all the same.
    """
    began = perf_counter()
    task = asyncio.create_task(_work(row, operation, request.copy()), name=f"{operation} {row.id}")
    task.add_done_callback(_look_at)

    def ended(*, is_late: bool) -> Outcome:
        took = (perf_counter() - began) * 1000
        outcome = _outcome(row.id, operation, task, is_late=is_late, deadline=deadline, took=took)
        hear(outcome)
        return outcome

    try:
        done, _ = await asyncio.wait({task}, timeout=deadline)
    except asyncio.CancelledError:
        await _stop(task, row)
        if task.done() and not task.cancelled():
            ended(is_late=False)
        raise
    if not done:
        await _stop(task, row)
    return ended(is_late=not done)


async def _work(row: Registration, operation: Operation, request: Request) -> Json:
    try:
        if operation is Operation.UPDATE:
            return await row.plugin.update(request)
        return await row.plugin.retrieve(request)
    except SystemExit as exc:  # which asyncio would let end the whole process
        raise RuntimeError(f"it wanted to end the process ({exc})") from exc


def _look_at(task: asyncio.Task[Json]) -> None:
    """Take the exception of a plugin that nobody waits for any more, which asyncio would log as never retrieved."""
    if not task.cancelled():
        task.exception()


async def _stop(task: asyncio.Task[Json], row: Registration) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE_S)
    if not task.done():
        logger.warning("the memory plugin %s does not stop when it is cancelled; it is left behind", row.id)


def _outcome(
    plugin_id: str, operation: Operation, task: asyncio.Task[Json], *, is_late: bool, deadline: float, took: float
) -> Outcome:
    if is_late:
        error = f"memory plugin {plugin_id} did not {operation} within {deadline * 1000:.0f} ms"
        return Failure(plugin_id, error, "timeout", took)
    if task.cancelled():
        return Failure(plugin_id, f"memory plugin {plugin_id} cancelled its own {operation}", "cancelled", took)
    if raised := task.exception():
        logger.warning("the memory plugin %s failed to %s", plugin_id, operation, exc_info=raised)
        return Failure(plugin_id, words(raised), "error", took)
    try:
        return Success(plugin_id, copied(task.result(), "the result"), took)
    except ValueError as exc:
        return Failure(plugin_id, f"memory plugin {plugin_id} answered no JSON: {exc}", "bad_result", took)


def words(error: BaseException) -> str:
    """Say what an exception says, or what it is: text that can be stored anywhere, and not too much of it."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - other people's code, once more
        said = ""
    said = (said or type(error).__name__).encode(errors="replace").decode().replace("\0", "\ufffd")
    return said if len(said) <= LONGEST_ERROR else said[: LONGEST_ERROR - 1] + "…"
