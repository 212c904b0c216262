"""Upkeep beside the other tasks of the worker: what is asked for is begun at once, the clock is looked at now and then."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from memory.maintenance import runs

logger = logging.getLogger("memdock.worker")

EVERY = 1.0
"""Seconds between two looks at the queue; each is two small queries."""
_LOOK_AT_THE_CLOCK = timedelta(seconds=15)


def start() -> None:
    """Work in a thread until the process ends; what it was doing then is taken up again by the next one."""
    threading.Thread(target=_repeat, name="upkeep", daemon=True).start()


def _repeat() -> None:
    pause, clock_at = threading.Event(), timezone.now()
    while True:
        close_old_connections()
        at = timezone.now()
        if at >= clock_at:
            _done(partial(runs.schedule, at=at))
            clock_at = at + _LOOK_AT_THE_CLOCK
        if not _done(partial(runs.run_due, at=at)):
            pause.wait(EVERY)


def _done(work: Callable[[], int]) -> int:
    """Do one step; what nobody foresaw ends neither the thread nor goes unseen."""
    try:
        return work()
    except DatabaseError as exc:
        logger.warning("Upkeep waits: %s", exc)
        connection.close()
    except Exception:
        logger.exception("Upkeep could not go on; it is tried again")
    return 0
