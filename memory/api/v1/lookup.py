"""Turns a part of an address into a row, or into 404."""

from __future__ import annotations

from memory import models
from memory.api.errors import not_found
from memory.api.v1 import paths
from memory.projects import queries as projects
from memory.sessions import queries as sessions
from memory.skills import queries as skills


def project(name: str, *, field: str = "") -> models.Project:
    """Find a project by name or alias. One query, or two for a name that is written as a segment."""
    for reading in paths.readings(name):
        if found := projects.find(reading):
            return found
    raise not_found("project", field=field)


def chosen_project(name: str) -> models.Project | None:
    """Find the project that `?project=` names; None when it names none."""
    return project(name, field="project") if name else None


def session(key: str) -> models.Session:
    for reading in paths.readings(key):
        if found := sessions.find(reading):
            return found
    raise not_found("session")


def skill(owner: models.Project, slug: str) -> models.SkillCandidate:
    for reading in paths.readings(slug):
        if found := skills.find(owner, reading):
            return found
    raise not_found("skill")
