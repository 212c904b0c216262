"""Where a captured turn is written: the tree of its project, made where there is none yet."""

from __future__ import annotations

import os
from pathlib import Path

from django.utils import timezone

from memory.audit import COMMAND
from memory.engram import checkouts
from memory.models import Capture, Project
from memory.models.project import NO_PROJECT
from memory.projects import actions
from memory.projects.registration import MEMORY_DIRECTORY, CannotRegister


class NoPlace(Exception):
    """There is no directory to write to; the message is one sentence for people."""


def memory_dir(capture: Capture) -> Path:
    """Return the `.memsearch` of the capture's project, and register its directory where that is new.

    Raises NoPlace for a directory that is not on this machine, or that belongs to no project.
    """
    project = capture.project
    if not project.memory_dir:
        _register(project, capture.session.directory)
    return Path(project.memory_dir)


def _register(project: Project, directory: str) -> None:
    root = Path(checkouts.root(directory))
    if project.name == NO_PROJECT or not root.is_absolute():
        raise NoPlace("This turn belongs to no project: its agent named no directory that tells one.")
    if not root.is_dir():
        raise NoPlace("The directory of this session is not on this machine.")
    try:
        Path(os.environ.get("MEMSEARCH_DIR") or root / MEMORY_DIRECTORY).expanduser().mkdir(exist_ok=True)
        known, _ = actions.add(path=str(root), name=project.name, actor=COMMAND, at=timezone.now())
    except (OSError, CannotRegister) as exc:
        raise NoPlace(f"The project's memory cannot be kept on disk: {exc}") from exc
    project.root, project.memory_dir = known.root, known.memory_dir
