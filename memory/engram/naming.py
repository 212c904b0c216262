"""Ids, scopes and project names as Engram's clients write them."""

from __future__ import annotations

import secrets

from memory.engram.errors import InvalidProject
from memory.models import Project
from memory.models.observation import Scope
from memory.models.project import NO_PROJECT
from memory.projects import names, queries


def new_sync_id(prefix: str) -> str:
    """Return `<prefix>-` and 16 random hex digits: `obs-…`, `prompt-…`, `rel-…`."""
    return f"{prefix}-{secrets.token_hex(8)}"


def scope(value: str) -> Scope:
    """Return the scope of this name; anything else means the project's."""
    name = value.strip().lower()
    return Scope(name) if name in Scope.values else Scope.PROJECT


def project_of(name: str) -> Project:
    """Return the project of this name or alias, made where it is new; blank means "no project".

    For writes, inside their transaction. Raises InvalidProject for a text that cannot be a name. One query for a
    known name, three for a new one.
    """
    try:
        wanted = names.canonical(names.validate(name)) if name.strip() else NO_PROJECT
    except names.InvalidName as exc:
        raise InvalidProject(str(exc)) from exc
    return queries.find(wanted) or Project.objects.get_or_create(name=wanted)[0]


def wire_name(project: Project) -> str:
    """Return the name that agents are told: empty for "no project"."""
    return "" if project.name == NO_PROJECT else project.name
