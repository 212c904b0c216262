"""Git checkouts, found by reading: nothing of a repository is run, not even git on its behalf."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from memory.descriptors import Refused
from memory.projects import gitconfig, smallfiles

IDENTITY = "engram-project-identity.json"

_POINTER = 16_384
_CONFIG = 1_048_576
_LINKED = re.compile(r"(.+?)[/\\]\.git[/\\]worktrees[/\\][^/\\]+")


class InvalidIdentity(Exception):
    """The file by which Engram remembers a repository's name is there and cannot be used."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout: its root, the root of the primary checkout (the same but for linked worktrees), the shared git files."""

    root: Path
    main: Path
    common: Path


def enclosing(directory: Path) -> Repository | None:
    """Return the checkout that a real directory lies in."""
    for folder in (directory, *directory.parents):
        if found := at(folder):
            return found
    return None


def at(folder: Path) -> Repository | None:
    """Return the checkout whose root a folder is.

    `.git` is a directory, or a file that says where the directory is: of a submodule, or of a linked worktree. For a
    linked worktree whose primary checkout cannot be seen from here (another container) its path still tells the name.
    """
    dot = folder / ".git"
    if _is_git_directory(dot):
        return Repository(folder, folder, dot)
    pointer = _line(dot)
    if not pointer.startswith("gitdir:"):
        return None
    told = pointer.removeprefix("gitdir:").strip()
    directory = Path(os.path.realpath(folder / told))
    if _is_git_directory(directory):
        return _linked(folder, directory)
    unseen = _LINKED.fullmatch(told)
    return Repository(folder, Path(unseen[1]), directory) if unseen else None


def origin(repository: Repository) -> str:
    """Return the URL of the remote `origin`, or "" where there is none or it cannot be read."""
    try:
        return gitconfig.origin_url(smallfiles.read(repository.common / "config", limit=_CONFIG) or "")
    except Refused:
        return ""


def identity(repository: Repository) -> str:
    """Return the name that Engram gave the repository once, or "" where it gave none. Raises InvalidIdentity."""
    try:
        text = smallfiles.read(repository.common / IDENTITY, limit=_POINTER)
        if text is None:
            return ""
        project = json.loads(text)["project"]
    except (Refused, ValueError, KeyError, TypeError, RecursionError) as exc:
        raise InvalidIdentity(str(repository.common / IDENTITY)) from exc
    if not isinstance(project, str):
        raise InvalidIdentity(str(repository.common / IDENTITY))
    return project


def _linked(folder: Path, directory: Path) -> Repository:
    shared = _line(directory / "commondir")
    if not shared:
        return Repository(folder, folder, directory)  # a submodule, or a git directory kept elsewhere
    common = Path(os.path.realpath(directory / shared))
    # `repo/.git` and `repo/.bare` are named by their folder, `repo.git` by itself.
    main = common.parent if common.name.startswith(".") else common.with_name(common.name.removesuffix(".git"))
    return Repository(folder, main, common)


def _is_git_directory(path: Path) -> bool:
    return os.path.lexists(path / "HEAD") and os.path.isdir(path)  # noqa: PTH112 - never raises


def _line(path: Path) -> str:
    try:
        line = (smallfiles.read(path, limit=_POINTER) or "").strip()
    except Refused:
        return ""
    return "" if "\0" in line else line
