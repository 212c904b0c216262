"""What of the data directory belongs to MemDock's state, besides the database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from memory import addresses
from memory.backup import databases

BACKUPS = "backups"
_PASSING = {BACKUPS, "locks", addresses.NOTE}
"""What belongs to running processes, and the backups themselves."""


def files() -> Iterator[Path]:
    """Yield the files of the state, relative to the data directory; links are not followed, and none is one."""
    data: Path = settings.DATA_DIR
    own = {path.resolve() for path in databases.files()}
    for folder, folders, names in os.walk(data):
        here = Path(folder)
        if here == data:
            folders[:] = [name for name in folders if name not in _PASSING and not name.startswith(".")]
        for name in sorted(names):
            path = here / name
            if not (path.is_symlink() or not path.is_file() or path.resolve() in own or _is_passing(path)):
                yield path.relative_to(data)


def _is_passing(path: Path) -> bool:
    return path.suffix == ".lock" or (path.parent == settings.DATA_DIR and path.name in _PASSING)
