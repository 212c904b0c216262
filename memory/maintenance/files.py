"""Reads and replaces whole files: through no link, in one step, and never over what somebody wrote meanwhile."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from memory import descriptors
from memory.descriptors import Missing, Refused
from memory.documents import decoding
from memory.documents.reader import LIMIT
from memory.maintenance.places import Place

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OURS = ".memdock-"
_ANY = 0o666  # the umask takes from it


class CannotUse(Exception):
    """A file cannot be read or written; the message is one sentence that names no path."""


class Changed(Exception):
    """The file is not what the new text was made from; nothing was written. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a file held, and its permissions; None where there was none."""

    data: bytes | None = None
    mode: int | None = None

    @property
    def digest(self) -> str:
        """The SHA-256 (hex) of the bytes, as a document's content_hash; "" for no file."""
        return "" if self.data is None else hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> str:
        """The text without byte order mark and carriage returns, as a document's row has it."""
        return decoding.decode(self.data or b"")[0]

    @property
    def flaws(self) -> tuple[str, ...]:
        """What cannot be given back as it was: each the rest of a sentence that begins with the file's name."""
        return decoding.decode(self.data or b"")[1]


def look(place: Place) -> Seen:
    """Read a file of at most 1 MB. Raises CannotUse."""
    with _said():
        os.close(descriptors.open_root(place.root))  # a disk that is not mounted must not look like an empty one
        try:
            with _folder(place, makes=False) as folder:
                return _look(folder, place.name)
        except Missing:
            return Seen()


def replace(place: Place, text: str, *, base: str) -> None:
    """Put a text in the place of what has the digest `base` ("" where there is no file); folders are made.

    Whoever reads the file finds the old text or the new one, also after a crash. Raises Changed and CannotUse, after
    which the file is as it was.
    """
    with _said(), _folder(place, makes=True) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        seen = _look(folder, place.name)
        if seen.digest != base:
            raise Changed(f"{place.name} changed on disk meanwhile. Nothing was written.")
        put(folder, place.name, text.encode(), mode=seen.mode, base=base)


def tidy(place: Place) -> None:
    """Take away what a killed writer left beside a file. Raises CannotUse."""
    with _said(), suppress(Missing), _folder(place, makes=False) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        _tidy(folder, place.name)


def put(folder: int, name: str, data: bytes, *, mode: int | None = None, base: str | None = None) -> None:
    """Write a file of an open folder in one step; with `base` only while the present one still has that digest.

    The caller holds the folder's lock. Raises Changed and OSError.
    """
    _tidy(folder, name)
    temporary = f".{name}{_OURS}{os.getpid()}"
    file = os.open(temporary, _NEW, _ANY, dir_fd=folder)
    try:
        try:
            _write(file, data, mode)
        finally:
            os.close(file)
        if base is not None and _look(folder, name).digest != base:
            raise Changed(f"{name} changed on disk meanwhile. Nothing was written.")
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise
    os.fsync(folder)


@contextmanager
def _folder(place: Place, *, makes: bool) -> Iterator[int]:
    """Hold the folder of a file."""
    *parents, _ = descriptors.parts(place.path)
    handle = descriptors.open_root(place.root)
    try:
        for parent in parents:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(parent, dir_fd=handle)
            deeper = descriptors.open_part(parent, handle)
            os.close(handle)
            handle = deeper
        descriptors.expect(handle, stat.S_IFDIR, otherwise=descriptors.FILE)
        yield handle
    finally:
        os.close(handle)


def _look(folder: int, name: str) -> Seen:
    try:
        file = descriptors.open_part(name, folder)
    except Missing:
        return Seen()
    try:
        facts = descriptors.expect(file, stat.S_IFREG, otherwise=descriptors.FOLDER)
        data = descriptors.read_at(file, LIMIT + 1, 0)
    finally:
        os.close(file)
    if len(data) > LIMIT:
        raise CannotUse(f"{name} is larger than 1 MB, so it is left alone.")
    return Seen(data, stat.S_IMODE(facts.st_mode))


def _tidy(folder: int, name: str) -> None:
    """Take away what a killed writer left of this file; its lock is ours now."""
    for found in os.listdir(folder):
        if found.startswith(f".{name}{_OURS}"):
            with suppress(OSError):
                os.unlink(found, dir_fd=folder)


def _write(file: int, data: bytes, mode: int | None) -> None:
    if mode is not None:
        os.fchmod(file, mode)
    done = 0
    while done < len(data):
        done += os.write(file, data[done:])
    os.fsync(file)


@contextmanager
def _said() -> Iterator[None]:
    """Turn what the system answers into a sentence."""
    try:
        yield
    except (Missing, Refused) as exc:
        raise CannotUse(str(exc)) from exc
    except OSError as exc:
        raise CannotUse(f"The file cannot be written: {exc.strerror}.") from exc
