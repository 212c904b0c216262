"""Counts the statements of an action, without those that only hold its transaction together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

_FRAME = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT", "SELECT pg_advisory_xact_lock", "NOTIFY")


@contextmanager
def costs(number: int, *, more_on_postgres: int = 0) -> Iterator[None]:
    """Assert that the block runs so many statements; PostgreSQL's locks of the feed are not counted."""
    with CaptureQueriesContext(connection) as queries:
        yield
    found = [query["sql"] for query in queries if not query["sql"].startswith(_FRAME)]
    expected = number + (more_on_postgres if connection.vendor == "postgresql" else 0)
    assert len(found) == expected, "\n".join(found)
