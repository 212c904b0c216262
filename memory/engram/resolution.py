"""Which project a reader asks for (section "Project resolution" of Engram's HTTP routes)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from memory.engram.errors import AmbiguousProject, InvalidProject, UnknownProject
from memory.models import Project
from memory.models.project import NO_PROJECT
from memory.projects import bindings, detection, names, queries

_TRUE = {"1", "t", "T", "TRUE", "true", "True"}
_FALSE = {"0", "f", "F", "FALSE", "false", "False"}


def resolve(
    *, project: Sequence[str] = (), all_projects: Sequence[str] = (), cwd: str = "", is_strict: bool = False
) -> Project | None:
    """Return the project to read, or None for all of them; the arguments are the values that the query gives each.

    A name without any memory gives a project that is not stored (its pk is 0), so that every filter by it finds
    nothing; with `is_strict` it raises UnknownProject, as Engram does. Where neither a name nor a directory is given,
    and `ENGRAM_PROJECT` is not set, all projects are read: the server's own directory says nothing about the reader.

    Raises InvalidProject for repeated, blank, contradicting or impossible values, AmbiguousProject for a directory with
    several repositories, and ProjectUnresolved. One query for a name.
    """
    wants_all = _all(all_projects)
    if len(project) > 1 or any(not name.strip() for name in project):
        raise InvalidProject("project must be given once and cannot be blank")
    if wants_all and project:
        raise InvalidProject("project and all_projects cannot be combined")
    if wants_all:
        return None
    if project:
        return _named(project[0], is_strict=is_strict)
    if cwd.strip() or os.environ.get("ENGRAM_PROJECT", "").strip():
        return _detected(cwd)
    return None


def _all(values: Sequence[str]) -> bool:
    if len(values) > 1 or any(value not in _TRUE | _FALSE for value in values):
        raise InvalidProject("all_projects must be a single boolean")
    return bool(values) and values[0] in _TRUE


def _named(text: str, *, is_strict: bool) -> Project:
    try:
        name = bindings.plain_name(text)
    except names.InvalidName as exc:
        raise InvalidProject(f"invalid project: {exc}") from exc
    found = queries.find(name)
    if found is None and is_strict:
        known = Project.objects.exclude(name=NO_PROJECT).order_by("name").values_list("name", flat=True)
        raise UnknownProject(f"project {json.dumps(name)} not found", available_projects=list(known))
    return found or Project(pk=0, name=name)


def _detected(cwd: str) -> Project:
    found = detection.current(cwd)
    if found.error_hint:
        raise AmbiguousProject(
            f"project resolution failed: {found.error_hint}: {', '.join(found.available)}",
            available_projects=list(found.available),
            project_source=found.source,
            project_path=found.path,
        )
    return queries.find(found.project) or Project(pk=0, name=found.project)
