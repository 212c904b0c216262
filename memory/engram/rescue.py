"""Gives rows that belong to no project to one, and all of one name to another, as Engram's operators ask for it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from memory import audit, changes, locks, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import naming
from memory.engram.errors import EngramError, Invalid
from memory.models import Observation, Project, Prompt, Relation, Session
from memory.models.project import NO_PROJECT
from memory.projects import merging, queries


@dataclass(frozen=True, slots=True)
class Rescued:
    """What was moved to `project`; `conflicting` has another owner already, `skipped` is not here or there already.

    `blocked` names the sessions whose id the project knows already.
    """

    project: Project
    observations: int
    sessions: int
    prompts: int
    conflicting: int
    skipped: int
    blocked: list[str]


@dataclass(frozen=True, slots=True)
class Renamed:
    """Numbers of rows that have another project now; `reason` says why none has."""

    observations: int = 0
    sessions: int = 0
    prompts: int = 0
    reason: str = ""


@transaction.atomic(durable=True)
def rescue(
    *,
    target: str,
    observations: Collection[int] = (),
    sessions: Collection[str] = (),
    prompts: Collection[int] = (),
    actor: Actor,
    at: datetime,
) -> Rescued:
    """Give rows of "no project" to the project of that name: those that are named, or all where none is.

    What a named session remembers goes with it. Raises Invalid.
    """
    project, unowned = _projects(target)
    everything = not (observations or sessions or prompts)
    named = Session.objects.registered().filter(external_id__in=sessions)
    saved = Observation.objects.filter(pk__in=observations)
    asked = Prompt.objects.filter(pk__in=prompts)
    owned = sum(rows.exclude(project__in=[project, unowned]).count() for rows in (named, saved, asked))
    here = sum(rows.filter(project=unowned).count() for rows in (named, saved, asked))
    chosen, blocked = _sessions(Session.objects.all() if everything else named, project, unowned)
    moved = [
        _move(Observation.objects.all() if everything else _with(saved, chosen), project, unowned),
        _move(Prompt.objects.all() if everything else _with(asked, chosen), project, unowned),
        _move(Session.objects.filter(pk__in=chosen), project, unowned),
    ]
    Relation.objects.filter(project=unowned, source__project=project).update(project=project)
    title = f"{NO_PROJECT} → {project.name}"
    changes.append([Note("project.merged", refs.project(project), title)], project=project, at=at)
    audit.record(actor, "project.rescued", project.name, at=at, observations=moved[0], prompts=moved[1])
    wanted = len(set(observations)) + len(set(sessions)) + len(set(prompts))
    return Rescued(project, moved[0], moved[2], moved[1], owned, wanted - owned - here, blocked)


def rename(*, old: str, new: str, actor: Actor, at: datetime) -> Renamed:
    """Give everything of one name to another, which becomes a project where it is none. Raises Invalid."""
    if not old.strip() or not new.strip():
        raise Invalid("old_project and new_project are required")
    source = queries.find(old)
    if source is None:
        return Renamed(reason="no records found")
    target = naming.project_of(new)
    if source == target:
        return Renamed(reason="names are identical")
    try:
        done = merging.merge(source=source, target=target, actor=actor, at=at)
    except merging.CannotMerge as exc:
        raise EngramError(str(exc)) from exc
    moved = done.moved
    return Renamed(len(moved["observations"]), len(moved["sessions"]), len(moved["prompts"]))


def _projects(target: str) -> tuple[Project, Project]:
    if not target.strip():
        raise Invalid("target_project is required")
    project, unowned = naming.project_of(target), naming.project_of("")
    if project == unowned:
        raise Invalid("target_project must be a project")
    for pk in sorted({project.pk, unowned.pk}):
        locks.project(pk)
    return project, unowned


def _sessions(rows: QuerySet[Session], project: Project, unowned: Project) -> tuple[list[int], list[str]]:
    """Return the sessions that can move, and the ids of those that would meet one of the same id."""
    found = dict(rows.filter(project=unowned).values_list("pk", "external_id"))
    taken = set(project.sessions.filter(external_id__in=found.values()).values_list("external_id", flat=True))
    return [pk for pk, name in found.items() if name not in taken], sorted(taken)


def _with[Row: (Observation, Prompt)](rows: QuerySet[Row], sessions: list[int]) -> QuerySet[Row]:
    return rows | rows.model._default_manager.filter(session__in=sessions)


def _move(rows: QuerySet[Any], project: Project, unowned: Project) -> int:
    return rows.filter(project=unowned).update(project=project)
