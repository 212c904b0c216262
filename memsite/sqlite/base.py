"""The backend itself; Django looks for it under this name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from memory import locks, trouble

LONGEST_REST, SHORTEST_REST = 0.008, 0.0005
OLD = 0.1
"""Seconds after which a writer has waited long; from then on it rests the shortest."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Lets writers take turns, and says that it waits, so that long works can give way to it.

    SQLite itself looks again after up to 0.1 s, whoever came first: with eight clients beside an import, one writer in
    twenty waited 0.34 s and one 3.4 s for its turn. Here the longer one has waited the more often one looks; that made
    it 0.16 s, and 0.43 s at most.
    """

    def _start_transaction_under_autocommit(self) -> None:
        with locks.waiting(), self._not_waiting_in_sqlite() as patience:
            began = time.monotonic()
            while True:
                try:
                    super()._start_transaction_under_autocommit()  # type: ignore[misc]  # Django's stubs lack it
                except OperationalError as exc:
                    waited = time.monotonic() - began
                    if waited >= patience or trouble.of(exc) != "busy":
                        raise
                    time.sleep(max(SHORTEST_REST, LONGEST_REST * (1 - waited / OLD)))
                else:
                    return

    @contextmanager
    def _not_waiting_in_sqlite(self) -> Iterator[float]:
        """Switch SQLite's own waiting off; yield how many seconds it would have waited."""
        [usual] = self.connection.execute("PRAGMA busy_timeout").fetchone()
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield usual / 1000
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {usual}")
