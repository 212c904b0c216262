"""Tells the worker's threads when other processes commit something, so that they begin at once with what they are given."""

from __future__ import annotations

import threading
import time
from functools import cache
from pathlib import Path

from django.db import connections

from memory.feed import watch

ASKED_AFTER = 0.5
"""Seconds after which one had better look oneself where commits cannot be watched: on PostgreSQL not all ring a bell."""


class Commits:
    """Counts the commits of other processes, and of this one's other connections. Shared by all threads."""

    def __init__(self, database: Path) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._stop = threading.Event()
        watching = (str(database), self._ring, self._stop)
        threading.Thread(target=watch.poll, args=watching, name="commits", daemon=True).start()

    def wait(self, seen: int, seconds: float) -> int:
        """Return the count when it is another one than `seen`, at the latest after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != seen, timeout=seconds)
            return self._count

    def close(self) -> None:
        """Look no longer."""
        self._stop.set()

    def _ring(self) -> None:
        with self._changed:
            self._count += 1
            self._changed.notify_all()


def wait(seen: int, seconds: float) -> int:
    """Wait as `Commits.wait` does for the commits of MemDock's database, or a short while where nobody can tell."""
    known = _commits()
    if known is None:
        time.sleep(min(seconds, ASKED_AFTER))
        return 0
    return known.wait(seen, seconds)


@cache
def _commits() -> Commits | None:
    database = connections["default"]
    return Commits(Path(database.settings_dict["NAME"])) if database.vendor == "sqlite" else None
