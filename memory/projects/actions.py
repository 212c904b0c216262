"""What changes projects."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from django.db import IntegrityError, transaction

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.models import Project
from memory.projects import names, registration
from memory.projects.registration import CannotRegister, Place


def add(*, path: str, name: str = "", actor: Actor, at: datetime) -> tuple[Project, bool]:
    """Register the directory at `path`; return its project and whether it is new.

    Nothing is read yet (see memory.projects.sync). The same directory again gives the same project. Raises
    CannotRegister, and InvalidName for a name that cannot be one.
    """
    place = registration.locate(path)
    wanted = names.canonical(names.validate(name)) if name else ""
    known = Project.objects.filter(memory_dir=str(place.memory_dir)).first()
    if known:
        return _same(known, wanted, place), False
    chosen = wanted or names.from_directory(place.root)
    taken = Project.objects.filter(name=chosen).exclude(memory_dir="").first()
    if taken:
        raise CannotRegister(f"The name {chosen} is taken by {taken.root}; choose another one.", field="name")
    try:
        return _create(chosen, place, actor=actor, at=at), True
    except IntegrityError as exc:
        raise CannotRegister(f"{place.root} was just registered by somebody else.") from exc


def enclosing(project: Project) -> Project | None:
    """Return the registered project whose directory holds this one's."""
    parents = [str(parent) for parent in Path(project.root).parents]
    found = Project.objects.filter(root__in=parents).exclude(pk=project.pk)
    return max(found, key=lambda outer: len(outer.root), default=None)


def _same(known: Project, wanted: str, place: Place) -> Project:
    if (wanted and wanted != known.name) or os.path.realpath(known.root) != str(place.root):
        raise CannotRegister(f"{place.memory_dir} is already registered as {known.name} ({known.root}).", field="root")
    return known


@transaction.atomic(durable=True)
def _create(name: str, place: Place, *, actor: Actor, at: datetime) -> Project:
    """Make the project, or give a directory to one that only agents had named so far."""
    facts = {"root": str(place.root), "memory_dir": str(place.memory_dir)}
    project, _ = Project.objects.update_or_create(
        name=name, memory_dir="", defaults=facts, create_defaults={**facts, "name": name, "created_at": at}
    )
    audit.record(actor, "project.added", name, at=at, root=str(place.root))
    changes.append([Note("project.added", refs.project(project), name)], project=project, at=at)
    return project
