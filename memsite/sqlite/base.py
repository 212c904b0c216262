"""The backend itself; Django looks for it under this name."""

from __future__ import annotations

from django.db.backends.sqlite3 import base

from memory import locks


class DatabaseWrapper(base.DatabaseWrapper):
    """Says that it waits while it waits for its turn to write, so that long works can give way to it."""

    def _start_transaction_under_autocommit(self) -> None:
        with locks.waiting():
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # Django's stubs lack it
