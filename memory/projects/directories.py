"""Directories as agents name them, also those that this machine cannot see, and the projects that they were told for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from django.db import transaction

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.models import Project, ProjectDirectory

_WINDOWS = re.compile(r"[A-Za-z]:([\\/]|$)|\\\\")
_LONGEST = 4096


class InvalidDirectory(ValueError):
    """A text that cannot be a directory's path; the message is one sentence for people."""


def seen(directory: str) -> Path | None:
    """Return the real path of a directory of this machine, or None for one that it cannot see, or whose path is no text.

    A relative path is the server's, as for Engram; one that starts with `-` is a path like any other.
    """
    if _is_foreign(directory) or not _is_text(directory):
        return None
    path = os.path.realpath(directory)
    return Path(path) if _is_text(path) and os.path.isdir(path) else None  # noqa: PTH112 - never raises


def spelled(directory: str) -> str:
    r"""Return the one spelling of a path by which directories are compared.

    Without `.` and without a slash at the end, on Windows with `\` and an upper-case drive; links are not followed.
    """
    return str(_pure(directory))


def chain(directory: str) -> list[str]:
    """Return a directory and all that it lies in, nearest first, as `spelled`; nothing for an absurdly long path."""
    path = _pure(directory)
    if len(directory) > _LONGEST or not path.is_absolute():
        return []
    return [str(path), *map(str, path.parents)]


@transaction.atomic(durable=True)
def tell(directory: str, project: Project, *, at: datetime, actor: Actor | None = None) -> ProjectDirectory:
    """Note that a directory, with what lies in it, belongs to a project; what was told before is replaced.

    Raises InvalidDirectory for a path that is not absolute.
    """
    if not _is_text(directory) or not chain(directory):
        raise InvalidDirectory("A directory is told by its absolute path.")
    told, _ = ProjectDirectory.objects.update_or_create(
        directory=spelled(directory),
        defaults={"project": project},
        create_defaults={"project": project, "created_at": at},
    )
    if actor:
        audit.record(actor, "project.directory", project.name, at=at, directory=told.directory)
    changes.append([Note("project.changed", refs.project(project), project.name)], project=project, at=at)
    return told


def told(directories: Iterable[str]) -> ProjectDirectory | None:
    """Return what was told of the longest of these directories, with its project. One query."""
    rows = ProjectDirectory.objects.filter(directory__in=_texts(directories)).select_related("project")
    return max(rows, key=lambda row: len(row.directory), default=None)


def registered(directories: Iterable[str]) -> Project | None:
    """Return the project whose root is the longest of these directories. One query."""
    rows = Project.objects.filter(root__in=_texts(directories))
    return max(rows, key=lambda project: len(project.root), default=None)


def roots(directories: Iterable[str]) -> dict[str, str]:
    """Return the names of the projects whose roots are among these directories, by root. One query."""
    return dict(Project.objects.filter(root__in=_texts(directories)).values_list("root", "name"))


def _texts(directories: Iterable[str]) -> set[str]:
    return {directory for directory in directories if directory and _is_text(directory)}


def _is_text(path: str) -> bool:
    return not re.search(r"[\0\ud800-\udfff]", path)


def _is_foreign(directory: str) -> bool:
    return os.name != "nt" and bool(_WINDOWS.match(directory))


def _pure(directory: str) -> PurePath:
    if not _WINDOWS.match(directory):
        return PurePosixPath(directory)
    path = PureWindowsPath(directory)
    return PureWindowsPath(path.drive.upper(), path.root, *path.parts[1:]) if path.root else path
