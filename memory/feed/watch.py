"""Notices what other processes commit, so that what the worker writes is on screen at once too."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from memory.changes import NOTIFY

type Ring = Callable[[], None]

POLL_S = 0.03
SHORTEST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0

logger = logging.getLogger("memdock.feed")


async def commits(ring: Ring) -> None:
    """Ring whenever anything was committed by anybody, until cancelled.

    Returns at once where that cannot be watched (a SQLite database in memory); the reader's tick remains.
    """
    database = connections["default"]
    if database.vendor == "postgresql":
        await _listen(_parameters(database), ring)
    elif Path(database.settings_dict["NAME"]).is_file():
        await _watch_file(database.settings_dict["NAME"], ring)


async def _watch_file(path: str, ring: Ring) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=poll, args=(path, ring, stop), name="memdock-data-version", daemon=True)
    thread.start()
    try:
        await asyncio.Event().wait()  # until cancelled
    finally:
        stop.set()
        thread.join()  # it waits for nothing but `stop`


def poll(path: str, ring: Ring, stop: threading.Event) -> None:
    """Ring whenever a SQLite file was committed to, until told to stop; for a thread of its own."""
    while not stop.is_set():
        try:
            _poll_connected(path, ring, stop)
        except sqlite3.Error as exc:  # the file is being replaced, say; meanwhile there is the tick
            logger.warning("Commits of other processes cannot be watched: %s", exc)
            stop.wait(1)


def _poll_connected(path: str, ring: Ring, stop: threading.Event) -> None:
    """Compare `PRAGMA data_version`, which grows by the commits of every connection but this one."""
    database = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, isolation_level=None)
    try:
        seen = None
        while not stop.wait(POLL_S):
            version = database.execute("PRAGMA data_version").fetchone()[0]
            if version != seen:
                seen = version
                ring()
    finally:
        database.close()


async def _listen(parameters: dict[str, Any], ring: Ring) -> None:
    """Hear NOTIFY on a connection of its own; when it drops, come back after 1, 2, 4 … 30 seconds."""
    from psycopg import OperationalError  # an optional extra

    clock = asyncio.get_running_loop().time
    pause = SHORTEST_PAUSE_S
    while True:
        began = clock()
        try:
            await _listen_connected(parameters, ring)
        except OperationalError as exc:
            logger.warning("Commits of other processes cannot be watched: %s", str(exc).strip())
        pause = SHORTEST_PAUSE_S if clock() - began > LONGEST_PAUSE_S else min(pause * 2, LONGEST_PAUSE_S)
        await asyncio.sleep(pause)


async def _listen_connected(parameters: dict[str, Any], ring: Ring) -> None:
    from psycopg import AsyncConnection

    async with await AsyncConnection.connect(**parameters, autocommit=True) as connection:
        await connection.execute(f"LISTEN {NOTIFY}")
        ring()  # for what was committed while nobody listened
        async for _ in connection.notifies():
            ring()


def _parameters(database: BaseDatabaseWrapper) -> dict[str, Any]:
    """Return how Django connects, without what belongs to its own, synchronous connections."""
    own = {"cursor_factory", "context"}
    return {name: value for name, value in database.get_connection_params().items() if name not in own}
