"""Opens files of an agent's workspace: never through a link, never outside of it, never what is MemDock's own."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from memory.artifacts.errors import ArtifactError
from memory.disk import DiskError, Tree

OUTSIDE = "this path is outside the session's workspace"

_KERNEL = (Path("/proc"), Path("/sys"))
"""Regular files to the system, but what they hold is the state of processes: MemDock's own secrets among it."""


def opened(root: str, path: str) -> tuple[BinaryIO, str]:
    """Open a regular file of the workspace `root`; return it with the one spelling of its path in there.

    `path` is relative to the root, or absolute and inside of it. The caller closes the file. Raises ArtifactError, and
    DiskError for what is not there, is a link or leads through one, or is no regular file.
    """
    if not posixpath.isabs(root) or "\0" in root or posixpath.normpath(root) in {"/", "//"}:
        raise ArtifactError("the session has no workspace that files can be taken from")
    inside = relative(root, path)
    with _tree(root) as tree:
        _check(tree.root / inside)
        return tree.open(inside), inside


def relative(root: str, path: str) -> str:
    """Return the one spelling of a path in a workspace, by its text alone; "" for the workspace itself.

    An absolute path may name the root as it is, or as it is spelled. Raises ArtifactError for a path that leads out.
    """
    for base in (root, os.path.realpath(root)):
        folder = _plain(base)
        found = _plain(posixpath.join(folder, path))
        if found == folder:
            return ""
        if found.startswith(f"{folder}/"):
            return found.removeprefix(f"{folder}/")
    raise ArtifactError(OUTSIDE)


def _plain(path: str) -> str:
    """Take `.` and `..` out. No link is followed later on, so that this cannot change where a path leads."""
    return "/" + posixpath.normpath(path).lstrip("/")


def _tree(root: str) -> Tree:
    try:
        return Tree(Path(root))
    except DiskError:
        raise ArtifactError("the session's workspace cannot be read here") from None


def _check(real: Path) -> None:
    own = Path(settings.DATA_DIR).resolve()
    if real.is_relative_to(own) or any(real.is_relative_to(folder) for folder in _KERNEL):
        raise ArtifactError("files of the system and of MemDock itself are not taken")
