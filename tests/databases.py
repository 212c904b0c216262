"""A database of their own for tests that start real processes, and another writer in that of a test."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from memory import locks
from tests.places import ROOT


@contextmanager
def own_database() -> Iterator[dict[str, str]]:
    """Yield the environment that selects a database without rows: a SQLite file, or one on the tests' PostgreSQL.

    Its tables are there already; making them takes a process longer than most of what is tested with it.
    """
    url = os.environ.get("MEMDOCK_DATABASE_URL", "")
    with _on_postgres(url) if url.startswith("postgres") else _on_sqlite() as own:
        yield {"MEMDOCK_DATABASE_URL": own}


@contextmanager
def _on_sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="memdock-database-") as place:
        path = Path(place) / "memdock.sqlite3"
        shutil.copyfile(_sqlite_template(), path)
        yield f"sqlite:///{path}"


@contextmanager
def _on_postgres(url: str) -> Iterator[str]:
    import psycopg

    template = _postgres_template(url)
    with psycopg.connect(url, autocommit=True) as server:
        name = f"memdock_{secrets.token_hex(6)}"
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield _named(url, name)
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _sqlite_template() -> Path:
    """Return a database with tables; it is made once and goes with this process."""
    place = Path(tempfile.mkdtemp(prefix="memdock-template-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    _make_tables(f"sqlite:///{place / 'made.sqlite3'}", place)
    template = place / "template.sqlite3"
    with closing(sqlite3.connect(place / "made.sqlite3")) as made:
        made.execute("VACUUM INTO ?", [str(template)])
    return template


@cache
def _postgres_template(url: str) -> str:
    import psycopg

    name = f"memdock_template_{secrets.token_hex(6)}"

    def drop() -> None:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    atexit.register(drop)
    with tempfile.TemporaryDirectory() as place:
        _make_tables(_named(url, name), Path(place))
    return name


def _make_tables(url: str, place: Path) -> None:
    variables = os.environ | {"MEMDOCK_DATABASE_URL": url, "MEMDOCK_DATA_DIR": str(place / "data")}
    command = [sys.executable, "-m", "memsite.cli", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.DEVNULL)


def _named(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


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
