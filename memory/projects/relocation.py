"""A project whose `.memsearch` is a link that now leads elsewhere."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from django.db import IntegrityError, transaction

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.models import Project
from memory.projects import registration
from memory.projects.registration import CannotRegister


def has_moved(project: Project) -> bool:
    """Tell whether the project's memory now lies in another directory than the one that is known. No query."""
    if not project.root:
        return False
    memory = os.environ.get("MEMSEARCH_DIR") or Path(project.root) / registration.MEMORY_DIRECTORY
    real = os.path.realpath(Path(memory).expanduser())
    return real != project.memory_dir and Path(real).is_dir()


def follow(project: Project, *, actor: Actor, at: datetime) -> None:
    """Give the project the directory where its memory lies now. Raises CannotRegister, also when another one has it."""
    place = registration.locate(project.root)
    try:
        _move(project, str(place.memory_dir), actor=actor, at=at)
    except IntegrityError as exc:
        raise CannotRegister(f"{place.memory_dir} belongs to another project already.") from exc


@transaction.atomic
def _move(project: Project, target: str, *, actor: Actor, at: datetime) -> None:
    moved = Project.objects.filter(pk=project.pk, memory_dir=project.memory_dir).update(memory_dir=target)
    if moved:
        audit.record(actor, "project.moved", project.name, at=at, memory_dir=target)
        changes.append([Note("project.changed", refs.project(project), project.name)], project=project, at=at)
    project.refresh_from_db(fields=["memory_dir"])
