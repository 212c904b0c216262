"""Folders that are written into: opened name by name without links, and files in them replaced in one step."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memory import descriptors
from memory.descriptors import Missing, Refused
from memory.skills.errors import CannotWrite

_DRAFT = ".memdock"
"""The end of the name of a file that is being written; one that is left over is a crash's."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SENTENCES = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EFBIG: "the disk is full",
    errno.EROFS: "the place is read-only",
    errno.EACCES: "the place is read-only",
    errno.EPERM: "the place is read-only",
}


@contextmanager
def opened(base: Path, names: Sequence[str], *, makes: bool = False) -> Iterator[int]:
    """Hold a descriptor of the folder at `names` below `base`; with `makes`, what is missing of it is made.

    `base` may be reached through links, nothing below it. Raises Missing and Refused, and CannotWrite where a folder
    cannot be made.
    """
    handle = _base(base)
    try:
        for name in names:
            deeper = _open(name, handle, makes=makes)
            os.close(handle)
            handle = deeper
        yield handle
    finally:
        os.close(handle)


@contextmanager
def inside(folder: int, name: str, *, makes: bool = False) -> Iterator[int]:
    """Hold a descriptor of a folder in an open folder, as `opened` does."""
    handle = _open(name, folder, makes=makes)
    try:
        yield handle
    finally:
        os.close(handle)


def read(folder: int, name: str, *, limit: int) -> bytes | None:
    """Read at most `limit` bytes and one more of a regular file; None where nothing is. Raises Refused."""
    try:
        file = descriptors.open_part(name, folder)
    except Missing:
        return None
    try:
        descriptors.expect(file, stat.S_IFREG, otherwise=descriptors.FOLDER)
        return descriptors.read_at(file, limit + 1, 0)
    finally:
        os.close(file)


def put(folder: int, name: str, data: bytes) -> None:
    """Write a file whole or not at all: readers see the old bytes or the new ones. Raises CannotWrite.

    A link of that name is replaced, not followed; whoever minds has to `read` first.
    """
    _clear(folder, name)
    draft = f".{name}.{secrets.token_hex(6)}{_DRAFT}"
    with said():
        try:
            _write(folder, draft, data, mode=_mode(folder, name))
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise
        os.fsync(folder)


def take(folder: int, name: str) -> None:
    """Remove a file; that there is none is fine. Raises CannotWrite."""
    with said(), suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
        os.fsync(folder)


def drop(folder: int, name: str) -> None:
    """Remove a folder in an open folder where it is empty; one that is not stays."""
    with suppress(OSError):
        os.rmdir(name, dir_fd=folder)


@contextmanager
def said() -> Iterator[None]:
    """Turn the refusal of a disk into a sentence."""
    try:
        yield
    except OSError as exc:
        why = _SENTENCES.get(exc.errno or 0, (exc.strerror or "the system refuses").lower())
        raise CannotWrite(f"It cannot be written: {why}.") from exc


def _base(path: Path) -> int:
    try:
        return descriptors.open_root(path)
    except Missing:
        raise Missing("The folder that this lies in is missing.") from None
    except Refused:
        raise Refused("The folder that this lies in cannot be read.") from None


def _open(name: str, folder: int, *, makes: bool) -> int:
    if not descriptors.is_plain(name):
        raise Missing(descriptors.ABSENT)
    try:
        handle = descriptors.open_part(name, folder)
    except Missing:
        if not makes:
            raise
        with said(), suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
        handle = descriptors.open_part(name, folder)
    try:
        descriptors.expect(handle, stat.S_IFDIR, otherwise=descriptors.FILE)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _write(folder: int, name: str, data: bytes, *, mode: int) -> None:
    file = os.open(name, _CREATE, 0o600, dir_fd=folder)
    try:
        done = 0
        while done < len(data):
            done += os.write(file, data[done:])
        os.fchmod(file, mode)
        os.fsync(file)
    finally:
        os.close(file)


def _mode(folder: int, name: str) -> int:
    """Return the mode of the file that is replaced; else what the system gives to a new file."""
    with suppress(OSError):
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(facts.st_mode):
            return stat.S_IMODE(facts.st_mode) & 0o777
    return 0o644


def _clear(folder: int, name: str) -> None:
    """Remove what a killed process left behind."""
    for one in os.listdir(folder):
        if one.startswith(f".{name}.") and one.endswith(_DRAFT):
            with suppress(OSError):
                os.unlink(one, dir_fd=folder)
