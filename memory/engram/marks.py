"""What happens to observations as a whole: pinned, deleted, brought back, erased. Steps of the caller's transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import relations, tombstones
from memory.models import Observation, Project


def pin(rows: Iterable[Observation], *, is_pinned: bool, actor: Actor | None, at: datetime) -> int:
    """Pin or unpin those that are not already; return how many. Revisions and times stay as they are."""
    chosen = [row for row in rows if row.is_pinned != is_pinned and not row.deleted_at]
    _update(chosen, is_pinned=is_pinned)
    _tell("observation.pinned" if is_pinned else "observation.unpinned", chosen, at=at)
    _record("observation.pinned" if is_pinned else "observation.unpinned", chosen, actor, at=at)
    return len(chosen)


def discard(rows: Iterable[Observation], *, actor: Actor | None, reason: str = "", at: datetime) -> int:
    """Delete those that are not deleted, so that they can be brought back; return how many."""
    chosen = [row for row in rows if not row.deleted_at]
    _update(chosen, deleted_at=at, updated_at=at)
    _tell("observation.deleted", chosen, at=at)
    _record("observation.deleted", chosen, actor, at=at, reason=reason)
    return len(chosen)


def bring_back(rows: Iterable[Observation], *, actor: Actor | None, at: datetime) -> int:
    """Bring back those that are deleted, merged ones as memories of their own; return how many."""
    chosen = [row for row in rows if row.deleted_at]
    _update(chosen, deleted_at=None, merged_into=None, updated_at=at)
    _tell("observation.restored", chosen, at=at)
    _record("observation.restored", chosen, actor, at=at)
    return len(chosen)


def erase(rows: Sequence[Observation], *, actor: Actor | None, reason: str = "", at: datetime) -> int:
    """Delete rows and their versions for good; return how many.

    A tombstone stays, their relations are orphaned, and the feed forgets their titles.
    """
    judged = [f"observation:{pk}" for pk in relations.of(row.pk for row in rows).values_list("source", flat=True)]
    relations.orphan([row.sync_id for row in rows], at=at)
    tombstones.put(tombstones.of_observation(row, at=at) for row in rows)
    _tell("observation.deleted", rows, at=at)
    tombstones.untitle(refs.observation(row) for row in rows)
    tombstones.untitle(judged, kind="relation.judged")  # these name both memories
    _record("observation.purged", rows, actor, at=at, reason=reason)
    Observation.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _update(rows: Sequence[Observation], **values: object) -> None:
    Observation.objects.filter(pk__in=[row.pk for row in rows]).update(**values)
    for row in rows:
        for name, value in values.items():
            setattr(row, name, value)


def _tell(kind: str, rows: Iterable[Observation], *, at: datetime) -> None:
    notes: dict[Project, list[Note]] = defaultdict(list)
    for row in rows:
        notes[row.project].append(Note(kind, refs.observation(row), row.title))
    for project, own in notes.items():
        changes.append(own, project=project, at=at)


def _record(action: str, rows: Iterable[Observation], actor: Actor | None, *, at: datetime, reason: str = "") -> None:
    """Write a person's act into the audit trail, which holds no memory text."""
    if actor is None:
        return
    why = {"reason": reason} if reason else {}
    for row in rows:
        audit.record(actor, action, refs.observation(row), at=at, **why)
