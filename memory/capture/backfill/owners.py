"""Whose journal the turns of a directory belong to."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings

from memory.capture.summarizers.programs import FOLDER
from memory.configuration import memsearch
from memory.configuration.memsearch import Configuration
from memory.engram import checkouts
from memory.engram.errors import EngramError
from memory.models import Project
from memory.models.project import NO_PROJECT
from memory.projects import detection, queries
from memory.projects.detection import Detected
from memory.projects.registration import MEMORY_DIRECTORY

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True, slots=True)
class Owner:
    """A project and where its memory is, or will be; or a directory without one, and `why` that is."""

    name: str
    directory: str
    memory_dir: Path | None = None
    why: str = ""
    row: Project | None = None
    is_chosen: bool = False
    """Told by the person who imports, not by the directory."""

    def configuration(self) -> Configuration:
        """Return what holds for its captures. One query."""
        return memsearch.effective(self.row)


class Owners:
    """Finds owners; `project` takes in what belongs to none, and is then the only one that is looked for."""

    def __init__(self, project: str = "") -> None:
        self._found: dict[str, Owner] = {}
        self._taker = queries.find(project) if project else None
        self._wanted = self._taker.name if self._taker else project

    def of(self, cwd: str) -> Owner | None:
        """Return the owner of a directory, None where it is another project than the wanted one."""
        if cwd not in self._found:
            self._found[cwd] = self._taken(_owner(cwd))
        found = self._found[cwd]
        return None if self._wanted and found.name not in {"", self._wanted} else found

    def _taken(self, owner: Owner) -> Owner:
        if owner.name or not self._wanted:
            return owner
        if self._taker is None or not self._taker.memory_dir:
            return Owner("", owner.directory, why=f"{self._wanted} has no directory here that could take it in.")
        return replace(_registered(self._taker), is_chosen=True)


def is_ours(cwd: str) -> bool:
    """Tell whether a conversation was held in the folder from which MemDock itself asks agents for summaries."""
    return Path(cwd) == Path(settings.DATA_DIR) / FOLDER


def _owner(cwd: str) -> Owner:
    if not cwd.strip():
        return Owner("", "", why="Its agent named no directory.")
    if not (Path(cwd).is_absolute() or _WINDOWS.match(cwd)):
        return Owner("", cwd, why="Its directory is not told by a whole path.")
    try:
        detected = detection.current(cwd)
    except EngramError as exc:
        return Owner("", cwd, why=str(exc))
    if not _is_known(detected):
        return Owner("", cwd, why=_why(detected))
    return _placed(detected, cwd)


def _is_known(detected: Detected) -> bool:
    """Tell whether more than the last part of a path speaks for the project."""
    if detected.source != "dir_basename":
        return bool(detected.project) and detected.project != NO_PROJECT
    return (Path(detected.path) / MEMORY_DIRECTORY / "memory").is_dir()


def _why(detected: Detected) -> str:
    if detected.error_hint:
        return f"It belongs to no one project: {detected.error_hint}."
    is_here = Path(detected.path).is_dir()
    return "Its directory belongs to no project." if is_here else "Its directory is not on this machine."


def _placed(detected: Detected, cwd: str) -> Owner:
    row = queries.find(detected.project)
    if row and row.memory_dir:
        return _registered(row)
    root = Path(checkouts.root(cwd))
    if not (root.is_absolute() and root.is_dir()):
        return Owner("", cwd, why=f"The directory of {detected.project} is not on this machine.")
    memory_dir = Path(os.environ.get("MEMSEARCH_DIR") or root / MEMORY_DIRECTORY).expanduser()
    return Owner(detected.project, str(root), memory_dir=memory_dir, row=row)


def _registered(row: Project) -> Owner:
    return Owner(row.name, row.root, memory_dir=Path(row.memory_dir), row=row)
