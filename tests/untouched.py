"""Whether files were left alone."""

from __future__ import annotations

import hashlib
from pathlib import Path

type Facts = tuple[int, int, str]


def facts(path: Path) -> Facts:
    """Return what changes when a file is written or put in place of another: inode, time and hash; not when it is read."""
    stat = path.stat()
    return stat.st_ino, stat.st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()


def below(folder: Path) -> dict[str, Facts]:
    """Return the facts of all files in a folder and its folders, by their paths below it."""
    return {str(path.relative_to(folder)): facts(path) for path in sorted(folder.rglob("*")) if path.is_file()}
