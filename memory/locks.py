"""Locks between processes: of one machine by files, and of one database by project."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import connection

DATABASE = "migrate.lock"
"""In the data directory: held while tables are changed; the web server waits for it before it answers anybody."""

PATIENCE = "20s"
"""How long a writer waits for another one on PostgreSQL; for SQLite the connection's `timeout` says the same."""

_WRITERS = "writers.lock"
"""In the data directory: shared by those who wait to write to SQLite."""
_YIELDED = 0.25
"""Seconds that a long work gives way at most between two transactions: it must get on under any load."""
_LOOK = 0.005

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
_PROJECT = 0x656E67  # "eng"; a number space of its own for the locks of projects


class Taken(Exception):
    """Another process holds the lock."""


@contextmanager
def held(path: Path, *, waits: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which is made where it is missing and never removed.

    Raises Taken when somebody else holds it and the caller does not wait.
    """
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        _take(descriptor, path, waits=waits)
        yield
    finally:
        os.close(descriptor)


def project(pk: int) -> bool:
    """Let nobody else write to a project until the transaction ends; tell whether that took a lock.

    If so, what was read before has to be read again. SQLite needs none: its writers follow one another from the first
    statement of their transactions. Whoever takes several takes them in the order of their numbers. Raises
    OperationalError when others hold the lock longer than PATIENCE, which from here on holds for the whole transaction.
    """
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('lock_timeout', %s, true), pg_advisory_xact_lock(%s, %s)",
            [PATIENCE, _PROJECT, pk % 2**31],
        )
    return True


@contextmanager
def impatient(seconds: float) -> Iterator[None]:
    """Wait for other writers of a SQLite database no longer than that, where there is something better to do.

    A write may then raise OperationalError. On PostgreSQL this changes nothing: writers of other rows are no hindrance.
    """
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        [usual] = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")


@contextmanager
def waiting() -> Iterator[None]:
    """Be seen by whoever gives way, as one who waits to write; with no file to be seen by, only that is lost."""
    descriptor = -1
    try:
        with suppress(OSError):
            descriptor = os.open(settings.DATA_DIR / _WRITERS, _FLAGS, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def give_way() -> None:
    """Let those who wait write, between two transactions of a long work.

    Writers of SQLite do not queue, they look again now and then: who begins again at once gets the lock again, time after
    time.
    """
    if connection.vendor != "sqlite":
        return
    until = time.monotonic() + _YIELDED
    while time.monotonic() < until:
        time.sleep(_LOOK)
        with suppress(Taken), held(settings.DATA_DIR / _WRITERS, waits=False):
            return


def _take(descriptor: int, path: Path, *, waits: bool) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        raise Taken(str(path)) from exc
