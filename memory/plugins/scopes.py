"""Which project a scope means."""

from __future__ import annotations

from pathlib import PurePath

from memory.engram.errors import EngramError
from memory.models import Project
from memory.models.project import NO_PROJECT
from memory.projects import detection, directories, queries
from memory.projects.detection import Detected


def project_of(scope: str) -> Project | None:
    """Return the project of a scope: of a workspace's path, or the one of that name; None for an unknown one.

    A path belongs to the project that capture would give it to. Only a directory that merely has the name of a project
    which lives elsewhere does not: a scope never leads to a foreign memory. Five queries at most.
    """
    name = name_of(scope)
    return Project.objects.filter(name=name).first() if name else None


def name_of(scope: str) -> str:
    """Return the name of a scope's project, "" for an unknown scope. Where nobody remembers anything that is no row."""
    if not directories.chain(scope):
        found = queries.find(scope)
        return "" if found is None or found.name == NO_PROJECT else found.name
    try:
        detected = detection.current(scope)
    except EngramError:
        return ""
    if detected.source in {"dir_basename", "git_child"} and _lives_elsewhere(detected):
        return ""
    return detected.project


def _lives_elsewhere(detected: Detected) -> bool:
    root = Project.objects.filter(name=detected.project).values_list("root", flat=True).first()
    return bool(root) and not PurePath(detected.path).is_relative_to(str(root))
