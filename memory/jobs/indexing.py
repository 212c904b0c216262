"""Takes up for the search index what nobody else did: large trees, and what a crash left behind."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, close_old_connections, connection

from memory.search import index

logger = logging.getLogger("memdock.worker")

EVERY = 1.0
"""Seconds between two looks at the feed; each is two small queries."""


def run() -> None:
    """Follow the change feed until the process ends."""
    pause = threading.Event()
    while not pause.wait(EVERY):
        close_old_connections()
        step()


def step() -> int:
    """Take up all changes that are there; return how many. A busy database is tried again at the next step."""
    try:
        return index.follow()
    except DatabaseError as exc:
        logger.warning("The search index waits: %s", exc)
        connection.close()
        return 0
