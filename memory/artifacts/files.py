"""A storage of files that only their owner may read, each of them whole or not there."""

from __future__ import annotations

import os
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

_PARTS = "uploads"
_FOLDER, _FILE = 0o700, 0o600


class PrivateFiles(FileSystemStorage):
    """Files below one folder. Saving a name that is there replaces it at once; what is half written has no name yet."""

    def __init__(self, location: Path) -> None:
        super().__init__(location=location)

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def sweep(self, *, before: datetime) -> None:
        """Remove what writers that were killed left behind."""
        for part in (Path(self.location) / _PARTS).glob("*.part"):
            if part.stat().st_mtime < before.timestamp():
                part.unlink(missing_ok=True)

    def _save(self, name: str, content: Any) -> str:
        target = Path(self.path(name))
        part = Path(self.location) / _PARTS / f"{secrets.token_hex(16)}.part"
        for folder in (part.parent, target.parent):
            _make(folder)
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE), "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        _sync(target.parent)
        return name


def _make(folder: Path) -> None:
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=_FOLDER, exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Write the names in a folder down: a file whose name is lost with the power is lost itself."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
