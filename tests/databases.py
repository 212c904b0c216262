"""A database of their own for tests that start real processes, and another writer in that of a test."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from memory import locks


@contextmanager
def own_database() -> Iterator[dict[str, str]]:
    """Yield the environment that selects an empty database: the default SQLite file, or one on the tests' PostgreSQL."""
    url = os.environ.get("MEMDOCK_DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield {"MEMDOCK_DATABASE_URL": ""}
        return
    import psycopg

    name = f"memdock_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield {"MEMDOCK_DATABASE_URL": urlunsplit(urlsplit(url)._replace(path=f"/{name}"))}
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


_IMPATIENT = {"sqlite": "PRAGMA busy_timeout = 1", "postgresql": "SET lock_timeout = 50"}
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE"}


@contextmanager
def another_writer(table: str) -> Iterator[None]:
    """Hold the lock that a writer of a table needs, as another process would; ours waits no longer than a moment."""
    other = connection.copy()
    with connection.cursor() as ours, other.cursor() as theirs, mock.patch.object(locks, "PATIENCE", "50ms"):
        ours.execute(_IMPATIENT[connection.vendor])
        theirs.execute(_LOCK[connection.vendor].format(table=table))
        yield
        theirs.execute("ROLLBACK")
    other.close()
    connection.close()  # the next test opens it with its own patience
