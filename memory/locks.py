"""Locks between the processes of one machine, which end with the process that holds them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DATABASE = "migrate.lock"
"""In the data directory: held while tables are changed; the web server waits for it before it answers anybody."""


class Taken(Exception):
    """Another process holds the lock."""


@contextmanager
def held(path: Path, *, waits: bool = True) -> Iterator[None]:
    """Hold the lock of a file, which is made where it is missing and never removed.

    Raises Taken when somebody else holds it and the caller does not wait.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, path, waits=waits)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, *, waits: bool) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        raise Taken(str(path)) from exc
