"""Directories of sessions: those of one checkout are one."""

from __future__ import annotations

from pathlib import Path

from memory.projects import directories, repositories


def root(directory: str) -> str:
    """Return the root of the git checkout that a directory lies in, links resolved; itself where there is none.

    A directory that this machine cannot see stays as it was told.
    """
    told = directory.strip().encode(errors="replace").decode().replace("\0", "\ufffd")
    real = directories.seen(told) if Path(told).is_absolute() else None
    if real is None:
        return told
    checkout = repositories.enclosing(real)
    return str(checkout.root if checkout else real)
