"""Does what people asked for with copies of skills, beside the other tasks of the worker."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone

from memory.skills import jobs

logger = logging.getLogger("memdock.worker")

EVERY = 0.5
"""Seconds between two looks at the jobs; each is two small queries."""


def start() -> None:
    """Work in a thread until the process ends; a job that it was doing then is taken up again by the next one."""
    threading.Thread(target=_repeat, name="skills", daemon=True).start()


def _repeat() -> None:
    pause = threading.Event()
    while True:
        close_old_connections()
        if not step():
            pause.wait(EVERY)


def step() -> int:
    """Do what is due; what nobody foresaw ends neither the thread nor goes unseen."""
    try:
        return jobs.run_due(at=timezone.now())
    except DatabaseError as exc:
        logger.warning("Jobs on skills wait: %s", exc)
        connection.close()
    except Exception:
        logger.exception("Jobs on skills could not be done; they are tried again")
    return 0
