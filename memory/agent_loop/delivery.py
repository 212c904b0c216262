"""Delivers what happened in agents' loops to the memory plugins: sessions beside one another, each in its order."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import partial

from django.db import DatabaseError
from django.utils import timezone

from memory.agent_loop import queue, recall
from memory.capture.outbox import claimant
from memory.models import LoopUpdate
from memory.service.desk import Desk
from memory.service.errors import BadRequest, RequestBusy, RequestConflict
from memory.service.service import MemoryService
from memory.service.types import Failure, Request

HANDS = 4
"""Sessions that are delivered for at the same time."""

EVERY_S = 0.5
"""Seconds between two looks at an empty queue; each is one small query."""

PAUSE_S = 1.0
"""Seconds until a busy database is asked again."""

LOOK_FOR_LOST = timedelta(seconds=30)

logger = logging.getLogger("memdock.agent_loop")

desk = Desk("agent loop", threads=2)
"""Where the queue is read and written."""


async def work(service: MemoryService) -> None:
    """Deliver until cancelled."""
    busy, lost_at = set[asyncio.Task[None]](), timezone.now()
    while True:
        if timezone.now() >= lost_at:
            await _tried(_release())
            lost_at = timezone.now() + LOOK_FOR_LOST
        row = await _tried(_claim()) if len(busy) < HANDS else None
        if row:
            busy.add(asyncio.create_task(deliver(row, service)))
        elif busy:
            await asyncio.wait(busy, timeout=EVERY_S, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(EVERY_S)
        busy = {task for task in busy if not task.done()}


async def step(service: MemoryService) -> bool:
    """Deliver one update that is due; tell whether there was one."""
    row = await _claim()
    if row:
        await deliver(row, service)
    return row is not None


async def deliver(row: LoopUpdate, service: MemoryService) -> None:
    """Tell the plugins, only those that have not taken it yet, and note what came of it."""
    verdict = await _verdict(row, service)
    while True:
        try:
            return await desk.do(verdict, at=timezone.now())
        except DatabaseError as exc:  # nobody else would put it back while this process lives
            logger.warning("What became of %s waits to be noted: %s", row, exc)
            await asyncio.sleep(PAUSE_S)


async def _verdict(row: LoopUpdate, service: MemoryService) -> Callable[..., None]:
    """Deliver, and return what is to be noted."""
    try:
        outcomes = await service.update(Request.parse({"meta": row.meta, "data": row.data}))
    except (BadRequest, RequestConflict) as exc:
        logger.warning("%s is given up: %s", row, exc)
        return partial(queue.refuse, row, str(exc))
    except (RequestBusy, DatabaseError) as exc:
        return partial(queue.put_back, row, str(exc))
    except Exception as exc:  # our own mistake on one update must neither stop the others nor lose this one
        logger.exception("%s could not be delivered; it is tried again", row)
        return partial(queue.again, row, [], f"MemDock failed on this: {exc}")
    recall.warn(outcomes, "update")
    failed = [f"{one.plugin_id}: {one.error}" for one in outcomes if isinstance(one, Failure)]
    return partial(queue.again, row, outcomes, "; ".join(failed)) if failed else partial(queue.done, row, outcomes)


async def _claim() -> LoopUpdate | None:
    return await desk.do(queue.claim, worker=claimant(), at=timezone.now())


async def _release() -> int:
    return await desk.do(queue.release_lost, host=socket.gethostname(), at=timezone.now())


async def _tried[Result](asked: Coroutine[object, object, Result]) -> Result | None:
    """Do what the database may have no time for; it is asked again soon."""
    try:
        return await asked
    except DatabaseError as exc:
        logger.warning("Updates of agents' loops wait: %s", exc)
        return None
