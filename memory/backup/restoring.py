"""Puts a backup in the place of everything, once it was read and found whole, and keeps what was there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from memory import locks
from memory.backup import archive, databases, making, state
from memory.backup.archive import DATABASE, FILES, Manifest
from memory.backup.errors import CannotRestore
from memory.management import database

RUNNING = ("up.lock", "worker.lock")
_PLACE = ".restoring-"


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back, and the backup of what was there before."""

    manifest: Manifest
    before: Path


def restore(source: Path, *, at: datetime) -> Restored:
    """Put a backup back. Raises CannotRestore and CannotBackUp.

    Killed in between, it is done again from the same file; what was there before is in the data directory's `backups`.
    """
    with _alone():
        manifest = archive.check(source)
        _refuse(manifest, source)
        try:
            return _restore(source, manifest, at=at)
        except OSError as exc:
            raise CannotRestore(f"{source} cannot be put back: {exc.strerror or exc}.") from exc


def _restore(source: Path, manifest: Manifest, *, at: datetime) -> Restored:
    data: Path = settings.DATA_DIR
    for left in (*data.glob(f"{_PLACE}*"), *(data / state.BACKUPS).glob(f"{making.PLACE}*")):  # of killed ones
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PLACE, dir=data) as name:
        place = Path(name)
        archive.unpack(source, place, manifest)
        before = _keep_present(at)
        databases.load(place / DATABASE)
        _replace_files(place / FILES)
    database.migrate()
    return Restored(manifest, before)


def _keep_present(at: datetime) -> Path:
    folder: Path = settings.DATA_DIR / state.BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    database.migrate()  # so that there is a database to keep, also on a new machine
    return making.make(folder / f"before-restore-{at:%Y%m%d-%H%M%S-%f}.tar.gz", at=at).file


def _replace_files(place: Path) -> None:
    """Put the files of a backup in their places, and take away those that it does not have."""
    data: Path = settings.DATA_DIR
    new = {path for path in (path.relative_to(place) for path in place.rglob("*") if path.is_file()) if state.has(path)}
    for path in sorted(new):
        (data / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (place / path).replace(data / path)
    for path in [path for path in state.files() if path not in new]:
        (data / path).unlink(missing_ok=True)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the locks of everything that runs. Raises CannotRestore while something does."""
    with ExitStack() as stack:
        try:
            for name in RUNNING:
                stack.enter_context(locks.held(settings.DATA_DIR / name, waits=False))
        except locks.Taken as exc:
            raise CannotRestore("MemDock is running with this data directory; stop it first.") from exc
        stack.enter_context(locks.held(settings.DATA_DIR / locks.DATABASE))
        yield


def _refuse(manifest: Manifest, source: Path) -> None:
    if manifest.engine != connection.vendor:
        raise CannotRestore(f"{source} holds a {manifest.engine} database, and MEMDOCK_DATABASE_URL is another kind.")
    known = {".".join(key) for key in MigrationLoader(None).disk_migrations}
    if unknown := [name for name in manifest.migrations if name.startswith("memory.") and name not in known]:
        raise CannotRestore(f"{source} was made by a newer MemDock ({unknown[0]} is not known here); update first.")
