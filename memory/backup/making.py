"""Makes a backup while MemDock runs."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from memory.backup import archive, databases, state
from memory.backup.archive import DATABASE, FILES, Manifest
from memory.backup.errors import CannotBackUp, CannotRestore

PLACE = ".memdock-backup-"
"""How the folder begins in which a backup is made, beside the file that it becomes."""


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was read again and found whole; sizes in bytes."""

    file: Path
    size: int
    manifest: Manifest


def make(target: Path, *, at: datetime) -> Made:
    """Write a backup that only its owner can read, and put it in its place when it was checked. Raises CannotBackUp.

    The database is copied first, so that the files which follow hold what it names; files are not deleted until they
    have been named by nothing for a while.
    """
    try:
        return _make(target, at=at)
    except OSError as exc:
        raise CannotBackUp(f"{target} cannot be written: {exc.strerror or exc}.") from exc
    except CannotRestore as exc:
        raise CannotBackUp(f"What was written to {target} could not be read again.") from exc


def _make(target: Path, *, at: datetime) -> Made:
    _refuse_existing(target)
    with tempfile.TemporaryDirectory(prefix=PLACE, dir=target.parent) as name:
        place = Path(name)
        databases.dump(place / DATABASE)
        members = {DATABASE: place / DATABASE}
        members |= {str(FILES / path.as_posix()): settings.DATA_DIR / path for path in state.files()}
        part = place / "backup"
        archive.write(
            part,
            members,
            engine=connection.vendor,
            created_at=at.isoformat(),
            migrations=sorted(".".join(one) for one in MigrationRecorder(connection).applied_migrations()),
        )
        part.chmod(0o600)
        manifest = archive.check(part)
        _sync(part)
        _refuse_existing(target)
        part.rename(target)
    return Made(target, target.stat().st_size, manifest)


def _refuse_existing(target: Path) -> None:
    if target.exists():
        raise CannotBackUp(f"{target} exists already; a backup replaces nothing.")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
