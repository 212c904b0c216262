"""Brings captured turns into their journals, one after the other, beside the other tasks of the worker."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from memory.capture import outbox, spool, work

logger = logging.getLogger("memdock.worker")

EVERY = 0.5
"""Seconds between two looks at an empty outbox; each is one small query."""
_LOOK_FOR_LOST = timedelta(seconds=30)


def start() -> None:
    """Work in a thread until the process ends; what it was doing then is taken up again by the next one."""
    threading.Thread(target=_repeat, name="capture", daemon=True).start()


def step(*, at: datetime) -> bool:
    """Take in what hooks left behind and bring one turn into its journal; tell whether there was anything to do."""
    return bool(spool.drain(at=at)) | work.step(at=at)


def _repeat() -> None:
    pause, lost_at = threading.Event(), timezone.now()
    while True:
        close_old_connections()
        at = timezone.now()
        if at >= lost_at:
            _done(partial(outbox.release_lost, at=at))
            lost_at = at + _LOOK_FOR_LOST
        if not _done(partial(step, at=at)):
            pause.wait(EVERY)


def _done(work: Callable[[], int]) -> int:
    """Do one step; what nobody foresaw ends neither the thread nor goes unseen."""
    try:
        return work()
    except DatabaseError as exc:
        logger.warning("Captured turns wait: %s", exc)
        connection.close()
    except Exception:
        logger.exception("Captured turns could not be worked on; they are tried again")
    return 0
