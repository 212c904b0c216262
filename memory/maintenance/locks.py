"""`.maintenance-<platform>-<task>.lock`: the lock file that MemSearch's own runner makes and respects.

MemSearch writes its process id into it and never looks at it again, so that a crash locks a task for ever. This one says
who holds it as well, and one whose owner is gone, or that is older than any run takes, is taken over.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memory import descriptors
from memory.descriptors import Missing, Refused

LONGEST = 3600.0
"""Seconds after which a lock counts as left behind, even where a process of its number lives."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITING = 60.0  # seconds that a lock without a word in it is somebody's who is just making it


class Locked(Exception):
    """Somebody else is at this task; the message says who and since when."""


class CannotLock(Exception):
    """The lock cannot be made; the message is one sentence."""


@contextmanager
def held(memory_dir: Path, platform: str, task: str) -> Iterator[None]:
    """Hold the lock of a task. Raises Locked and CannotLock."""
    name = f".maintenance-{platform}-{task}.lock"
    mine = f"{os.getpid()} {socket.gethostname()} memdock\n".encode()
    try:
        folder = descriptors.open_root(memory_dir)
    except (Missing, Refused) as exc:
        raise CannotLock(str(exc)) from exc
    try:
        _take(folder, name, mine)
        try:
            yield
        finally:
            _give_back(folder, name, mine)
    finally:
        os.close(folder)


def _take(folder: int, name: str, mine: bytes) -> None:
    """Make the file. Who finds one that was left behind removes it, one at a time."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        try:
            _check(folder, name)
            file = os.open(name, _NEW, 0o644, dir_fd=folder)
            try:
                os.write(file, mine)
            finally:
                os.close(file)
        finally:
            fcntl.flock(folder, fcntl.LOCK_UN)
    except FileExistsError:  # MemSearch, which knows no other lock, was first in this very moment
        raise Locked("MemSearch began with this task in the same moment.") from None
    except (Refused, OSError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else str(exc)
        raise CannotLock(f"The lock of this task cannot be made: {reason}") from exc


def _check(folder: int, name: str) -> None:
    """Take away a lock that was left behind. Raises Locked for one that is in use."""
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    age = time.time() - facts.st_mtime
    words = _read(folder, name).split()
    if age < LONGEST and _is_in_use(words, age):
        since = time.strftime("%H:%M", time.localtime(facts.st_mtime))
        who = "MemDock" if "memdock" in words else "MemSearch"
        number = f" (process {words[0]})" if words else ""
        raise Locked(f"{who}{number} has been at this task since {since}.")
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _is_in_use(words: list[str], age: float) -> bool:
    if not words:
        return age < _WRITING
    is_elsewhere = len(words) > 1 and words[1] != socket.gethostname()
    if is_elsewhere or not (words[0].isascii() and words[0].isdigit()):
        return True
    return is_alive(int(words[0]))


def is_alive(pid: int) -> bool:
    """Tell whether a process of this machine runs."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return pid > 0


def _read(folder: int, name: str) -> str:
    """Return what is in the lock, "" where that cannot be told (a link, say)."""
    try:
        file = descriptors.open_part(name, folder)
    except (Missing, Refused):
        return ""
    try:
        return descriptors.read_at(file, 200, 0).decode("utf-8", "replace")
    except (Missing, Refused):
        return ""
    finally:
        os.close(file)


def _give_back(folder: int, name: str, mine: bytes) -> None:
    if _read(folder, name).encode() == mine:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
