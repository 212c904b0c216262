"""Gives everything of one project to another, and back; a person decides, nothing is merged by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import Any

from django.db import IntegrityError, transaction

from memory import audit, changes, locks, refs
from memory.audit import Actor
from memory.changes import Note
from memory.models import Project, ProjectAlias, ProjectMerge, SearchDocument, Session
from memory.models.project import NO_PROJECT

MOVED = (
    "sessions",
    "observations",
    "prompts",
    "relations",
    "captures",
    "artifacts",
    "inbox_messages",
    "aliases",
    "directories",
    "merges",
)
"""What moves, by its name on Project. Entries, journals, documents and skills stay with their tree."""

_PART = 500


class CannotMerge(ValueError):
    """Two projects that cannot be made one, or are none any more; the message is one sentence for people."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a merge would move, as numbers of rows by table, and why it cannot be done ("" when it can)."""

    source: str
    target: str
    counts: dict[str, int]
    refusal: str


def preview(source: Project, target: Project) -> Preview:
    """Tell what a merge would do; nothing changes. One query a table."""
    counts = {name: getattr(source, name).count() for name in MOVED}
    return Preview(source.name, target.name, counts, _refusal(source, target))


@transaction.atomic(durable=True)
def merge(*, source: Project, target: Project, actor: Actor, at: datetime) -> ProjectMerge:
    """Give the source's rows to the target and make its name an alias of the target's.

    The source itself goes; `undo` brings it back. Raises CannotMerge: a memory tree stays where it is, so a project
    that has one cannot be the source.
    """
    source, target = _held(source, target)
    if refusal := _refusal(source, target):
        raise CannotMerge(refusal)
    done = ProjectMerge.objects.create(
        source_name=source.name,
        target=target,
        actor_label=actor.label[:200],
        moved=_move(source, target),
        created_at=at,
    )
    _forget(source, target, at=at)
    _announce(done, actor, "project.merged", [target], at=at)
    return done


def undo(*, pk: int, actor: Actor, at: datetime) -> Project:
    """Give back what a merge moved and is still where it put it; return the source, there again.

    Raises CannotMerge when it was undone before, or when the source's name was taken into use since in a way that
    leaves no room for what comes back.
    """
    try:
        return _undo(pk, actor, at=at)
    except IntegrityError as exc:
        raise CannotMerge("The project was made anew since, with sessions of the same ids.") from exc


@transaction.atomic(durable=True)
def _undo(pk: int, actor: Actor, *, at: datetime) -> Project:
    done = ProjectMerge.objects.select_related("target").filter(pk=pk).first()
    if done is None or not ProjectMerge.objects.filter(pk=pk, undone_at=None).update(undone_at=at):
        raise CannotMerge("This merge is undone already, or never was.")
    locks.project(done.target_id)
    done.target.aliases.filter(name=done.source_name).delete()
    made_at = datetime.fromisoformat(done.moved["created_at"])
    source, _ = Project.objects.get_or_create(name=done.source_name, defaults={"created_at": made_at})
    _give_back(done, source)
    _announce(done, actor, "project.unmerged", [source, done.target], at=at)
    return source


def _refusal(source: Project, target: Project) -> str:
    if source.pk == target.pk:
        return "A project cannot be merged into itself."
    if NO_PROJECT in {source.name, target.name}:
        return "What belongs to no project cannot be merged."
    if source.memory_dir:
        return f"{source.name} has a memory of its own on disk ({source.memory_dir}), which stays with it."
    return ""


def _held(source: Project, target: Project) -> tuple[Project, Project]:
    """Read both anew while nobody else writes to them."""
    for pk in sorted({source.pk, target.pk}):
        locks.project(pk)
    rows = Project.objects.in_bulk([source.pk, target.pk])
    if len(rows) < len({source.pk, target.pk}):
        raise CannotMerge("One of the projects is gone.")
    return rows[source.pk], rows[target.pk]


def _move(source: Project, target: Project) -> dict[str, Any]:
    """Move every row; return what it takes to move them back."""
    moved: dict[str, Any] = {"created_at": source.created_at.isoformat(), "external_ids": _part(source, target)}
    for name in MOVED:
        rows = getattr(source, name)
        moved[name] = list(rows.order_by("pk").values_list("pk", flat=True))
        rows.update(**{rows.field.name: target})
    moved["settings"] = list(source.settings.order_by("key").values("key", "value"))
    return moved


def _part(source: Project, target: Project) -> dict[str, str]:
    """Tell apart sessions that both projects know under one id; return the ids that had to change, by session.

    The one that an agent registered keeps it: the agent will ask for it.
    """
    shared = source.sessions.filter(external_id__in=target.sessions.values("external_id"))
    there = {
        session.external_id: session for session in target.sessions.filter(external_id__in=shared.values("external_id"))
    }
    changed: dict[str, str] = {}
    for session in shared:
        other = there[session.external_id]
        loser = other if other.is_derived and not session.is_derived else session
        changed[str(loser.pk)] = loser.external_id
        Session.objects.filter(pk=loser.pk).update(external_id=f"{loser.external_id}~{loser.pk}")
    return changed


def _forget(source: Project, target: Project, *, at: datetime) -> None:
    # Rows that only speak of the source follow it, or would go with it.
    SearchDocument.objects.filter(project=source).update(project=target)
    source.changes.update(project=target)
    source.delete()
    ProjectAlias.objects.update_or_create(
        name=source.name, defaults={"project": target}, create_defaults={"project": target, "created_at": at}
    )


def _give_back(done: ProjectMerge, source: Project) -> None:
    for name in MOVED:
        rows = getattr(done.target, name)
        for pks in batched(done.moved.get(name, ()), _PART):
            rows.filter(pk__in=pks).update(**{rows.field.name: source})
    for pk, external_id in done.moved["external_ids"].items():
        session = Session.objects.filter(pk=pk, external_id=f"{external_id}~{pk}").first()
        if session and not Session.objects.filter(project=session.project_id, external_id=external_id).exists():
            Session.objects.filter(pk=pk).update(external_id=external_id)
    for setting in done.moved["settings"]:
        source.settings.get_or_create(key=setting["key"], defaults={"value": setting["value"]})


def _announce(done: ProjectMerge, actor: Actor, action: str, projects: list[Project], *, at: datetime) -> None:
    counts = {name: len(done.moved.get(name, ())) for name in MOVED}  # an older merge knew fewer
    audit.record(actor, action, done.target.name, at=at, source=done.source_name, merge=done.pk, **counts)
    title = f"{done.source_name} → {done.target.name}"
    for project in projects:
        changes.append([Note("project.merged", refs.project(project), title)], project=project, at=at)
