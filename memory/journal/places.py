"""The memory folders of all projects as they are on disk now."""

from __future__ import annotations

import logging
import os
from datetime import datetime
from pathlib import Path

from memory.audit import COMMAND
from memory.models import Project
from memory.projects import relocation
from memory.projects.registration import CannotRegister

logger = logging.getLogger("memdock.watch")

type Key = tuple[int, str]
"""A project's id and the real path of its memory."""


class Places:
    """Knows which folders there are, and notices when one comes, goes or is replaced by another of the same name.

    An open descriptor of each keeps its inode from being given to a new folder, so that equal inodes mean the same one.
    """

    def __init__(self) -> None:
        self._open: dict[Key, int] = {}
        self._known: set[Key] = set()
        self._refused: set[Key] = set()

    def refresh(self, *, at: datetime) -> bool:
        """Look again; tell whether anything is different. One query."""
        projects = list(Project.objects.exclude(memory_dir=""))
        for project in projects:
            self._follow_link(project, at=at)
        known = {(project.pk, project.memory_dir) for project in projects}
        gone = {key for key, folder in self._open.items() if key not in known or not _is_same(key[1], folder)}
        for key in gone:
            os.close(self._open.pop(key))
        come = {key: folder for key in known - self._open.keys() if (folder := _opened(key[1])) is not None}
        self._open |= come
        is_different = bool(gone or come or known != self._known)
        self._known = known
        return is_different

    def close(self) -> None:
        for folder in self._open.values():
            os.close(folder)
        self._open.clear()

    def projects(self) -> set[int]:
        """Return the ids of all projects, also of those whose folder is missing."""
        return {project for project, _ in self._known}

    def folders(self) -> list[str]:
        return sorted(path for _, path in self._open)

    def owner(self, path: str) -> tuple[int, str] | None:
        """Return the project that a path belongs to, and the rest of the path below its folder."""
        inside = [key for key in self._open if path == key[1] or path.startswith(key[1].rstrip("/") + "/")]
        if not inside:
            return None
        project, folder = max(inside, key=lambda key: len(key[1]))
        return project, path[len(folder) :].lstrip("/")

    def _follow_link(self, project: Project, *, at: datetime) -> None:
        key = (project.pk, project.memory_dir)
        if key in self._refused or not relocation.has_moved(project):
            return
        try:
            relocation.follow(project, actor=COMMAND, at=at)
        except CannotRegister as exc:
            self._refused.add(key)  # said once
            logger.warning("%s stays where it was: %s", project.name, exc)


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None


def _is_same(path: str, folder: int) -> bool:
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(folder))
    except (OSError, ValueError):
        return False
