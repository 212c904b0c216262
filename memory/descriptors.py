"""Descriptors of folders and files: opened one name at a time, without links, and asked what they are."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ABSENT = "There is no such file."
FOLDER = "This is a folder, not a file."
FILE = "This is a file, not a folder."
LINK = "This is a link; links are not followed."
SPECIAL = "This is not a regular file."
UNREADABLE = "This cannot be read."

_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # O_NONBLOCK: a FIFO without a writer must not hold us
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}
_LINK = {errno.ELOOP, errno.EMLINK}  # what O_NOFOLLOW answers for a link; the second on FreeBSD
_SPECIAL = {errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP}


class DiskError(Exception):
    """Something in the tree cannot be had; the message is one sentence that names no path."""


class Missing(DiskError):
    """Nothing is there, or the path is written in a way that cannot name anything in the tree."""


class Refused(DiskError):
    """Something is there that is not opened: a link, a special file, the wrong kind, no permission."""


def parts(path: str) -> tuple[str, ...]:
    """Split a path into its names; raise `Missing` where one of them could lead out of the tree."""
    names = tuple(path.split("/")) if path else ()
    if not all(is_plain(name) for name in names):
        raise Missing(ABSENT)
    return names


def is_plain(name: str) -> bool:
    """Tell whether a name means one thing in one folder, on every system, and is text."""
    return name not in {"", ".", ".."} and not re.search(r"[/\\\0\ud800-\udfff]", name)


def open_root(root: Path) -> int:
    """Open the folder that everything else is opened from; this one may be reached through a link."""
    try:
        return os.open(root, _OPEN | os.O_DIRECTORY)
    except (FileNotFoundError, ValueError):
        raise Missing("This project has no memory folder.") from None
    except OSError as error:
        raise Refused("The memory folder of this project cannot be read.") from error


def open_part(name: str, folder: int) -> int:
    """Open one name of an open folder, whatever it is, but not through a link."""
    with spoken():
        return os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=folder)


def expect(handle: int, kind: int, *, otherwise: str) -> os.stat_result:
    """Make sure that what was opened is of this kind (`stat.S_IF…`), and hand back its facts."""
    facts = os.fstat(handle)
    found = stat.S_IFMT(facts.st_mode)
    if found != kind:
        raise Refused(otherwise if found in {stat.S_IFDIR, stat.S_IFREG} else SPECIAL)
    return facts


def look(name: str, folder: int) -> os.stat_result:
    """Ask about one name of an open folder without opening it; about a link, not about its target."""
    with spoken():
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def read_at(file: int, limit: int, offset: int) -> bytes:
    """Read at most `limit` bytes from `offset` on; fewer only at the end of the file."""
    pieces: list[bytes] = []
    with spoken():
        while limit > 0 and (piece := os.pread(file, limit, offset)):
            pieces.append(piece)
            limit -= len(piece)
            offset += len(piece)
    return b"".join(pieces)


@contextmanager
def spoken() -> Iterator[None]:
    """Turn what the system answers into the errors of this module."""
    try:
        yield
    except OSError as error:
        if error.errno in _ABSENT:
            raise Missing(ABSENT) from None
        if error.errno in _LINK:
            raise Refused(LINK) from None
        if error.errno in _SPECIAL:
            raise Refused(SPECIAL) from None
        raise Refused(UNREADABLE) from error
