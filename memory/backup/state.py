"""What of the data directory is MemDock's state, besides the database; whatever else lies there is somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from memory.artifacts import blobs
from memory.capture import spool
from memory.connect import hook_token
from memory.engram.exchange import runs

BACKUPS = "backups"
FILES = ("secret_key", "instance_id", hook_token.FILE)
FOLDERS = (blobs.FOLDER, spool.FOLDER, spool.REFUSED, runs.UPLOADS)


def has(path: Path) -> bool:
    """Tell whether a path, relative to the data directory, is one of the state's."""
    return str(path) in FILES or path.parts[0] in FOLDERS


def files() -> Iterator[Path]:
    """Yield the files of the state, relative to the data directory; links are not followed, and none is one."""
    data: Path = settings.DATA_DIR
    folders = [data / name for name in FOLDERS if not (data / name).is_symlink()]
    found = [data / name for name in FILES] + [path for folder in folders for path in sorted(folder.rglob("*"))]
    for path in found:
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(data)
