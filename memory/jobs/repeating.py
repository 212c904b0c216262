"""Threads of the worker that each do one thing over and over, beside its tasks, until the process ends."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.db import DatabaseError, connection

from memory.jobs import commits

logger = logging.getLogger("memdock.worker")

type Step = Callable[[], int]
"""Does what is due; tells, as anything but 0, that there may be more."""


class Clock:
    """Tells every so many seconds, and at first, that something is to be done."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True


def start(step: Step, *, name: str, what: str, every: float, rest: float = 0.0) -> None:
    """Repeat a step in a thread; `what` is for the log.

    When there is nothing to do, it pauses until somebody commits something: `rest` seconds at least, `every` at most.
    """
    threading.Thread(target=_repeat, args=(step, what, every, rest), name=name, daemon=True).start()


def _repeat(step: Step, what: str, every: float, rest: float) -> None:
    seen = 0
    while True:
        if not _done(step, what):
            time.sleep(rest)
            seen = commits.wait(seen, every - rest)


def _done(step: Step, what: str) -> int:
    """Do one step; what nobody foresaw ends neither the thread nor goes unseen."""
    try:
        return step()
    except DatabaseError as exc:
        logger.warning("%s must wait: %s", what, exc)
        connection.close()
    except Exception:
        logger.exception("%s failed; it is tried again", what)
        connection.close()
    return 0
