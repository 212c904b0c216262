"""Files of other programs: read once, changed in one step, with a backup, and only if nobody else changed them."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.connect.refusals import CannotConnect, Unreadable

KEPT = 3
"""Backups of ours that stay beside a file."""
_LARGEST = 32 * 1024 * 1024


class Changed(Exception):
    """The file is not what it was when it was read."""


@dataclass(frozen=True, slots=True)
class Original:
    """A file as it was read; `path` is where links lead to, and `data` is None where nothing is."""

    path: Path
    data: bytes | None
    mode: int = 0

    @property
    def text(self) -> str | None:
        """The text, a byte order mark and line ends included. Raises Unreadable."""
        try:
            return None if self.data is None else self.data.decode("utf-8")
        except UnicodeDecodeError as exc:
            raise Unreadable("this is not UTF-8.") from exc


def read(path: Path) -> Original:
    """Read a file, or the one that a link leads to. Raises CannotConnect."""
    real = Path(os.path.realpath(path))
    try:
        with real.open("rb") as file:
            facts = os.fstat(file.fileno())
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return Original(real, None)
    except OSError as exc:
        raise CannotConnect(f"{path}: it cannot be read ({exc.strerror}).") from exc
    if not stat.S_ISREG(facts.st_mode) or len(data) > _LARGEST:
        raise CannotConnect(f"{path}: this is no configuration file.")
    return Original(real, data, stat.S_IMODE(facts.st_mode))


def replace(original: Original, text: str | None, *, with_backup: bool, at: datetime) -> Path | None:
    """Write the new text, or delete the file for None; return the backup. Raises Changed, CannotConnect."""
    path = original.path
    try:
        if original.data is not None and not original.mode & stat.S_IWUSR:
            raise CannotConnect(f"{path}: this file is read-only; it is left as it is.")
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = _draft(original, text.encode()) if text is not None else None
        try:
            if read(path).data != original.data:
                raise Changed(path)
            backup = _back_up(original, at) if with_backup else None
            if draft is None:
                path.unlink(missing_ok=True)
            else:
                draft.replace(path)
        finally:
            if draft:
                draft.unlink(missing_ok=True)
    except OSError as exc:
        raise CannotConnect(f"{path}: it cannot be written ({exc.strerror}).") from exc
    return backup


def _draft(original: Original, data: bytes) -> Path:
    """Write the new bytes beside the file, with its mode and, where that is allowed, its owner."""
    handle, name = tempfile.mkstemp(prefix=f".{original.path.name}.", suffix=".memdock", dir=original.path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft = Path(name)
    draft.chmod(original.mode if original.data is not None else 0o666 & ~_umask())
    if original.data is not None and hasattr(os, "chown"):
        facts = original.path.stat()
        with suppress(PermissionError):
            os.chown(draft, facts.st_uid, facts.st_gid)
    return draft


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _back_up(original: Original, at: datetime) -> Path:
    """Keep the bytes beside the file under a name with the time, and of older ones of ours only the newest."""
    path, data = original.path, original.data or b""
    stem = f"{path.name}.memdock-backup-{at:%Y%m%d%H%M%S}"
    names = (path.with_name(stem + (f"-{number}" if number else "")) for number in range(1000))
    backup = next(name for name in names if not name.exists())
    handle = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    backup.chmod(original.mode)
    ours = re.compile(re.escape(path.name) + r"\.memdock-backup-\d{14}(-\d+)?")
    found = sorted((one for one in path.parent.iterdir() if ours.fullmatch(one.name)), key=_age)
    for old in found[:-KEPT]:
        old.unlink(missing_ok=True)
    return backup


def _age(backup: Path) -> tuple[str, int]:
    """Return what backups are sorted by: two of one second have a number behind it."""
    _, _, when = backup.name.rpartition("-backup-")
    moment, _, number = when.partition("-")
    return moment, int(number or 0)
