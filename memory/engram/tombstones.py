"""Traces of what was deleted for good: ids, and nothing of what was said."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory.engram import naming
from memory.models import Change, Observation, Prompt, Session, Tombstone
from memory.models.prompt import TombstoneKind

_FACTS = ["session_key", "project_name", "source_inbox_id", "deleted_at"]


def of_session(row: Session, *, at: datetime) -> Tombstone:
    return Tombstone(kind=TombstoneKind.SESSION, key=row.key, project_name=naming.wire_name(row.project), deleted_at=at)


def of_observation(row: Observation, *, at: datetime) -> Tombstone:
    return Tombstone(
        kind=TombstoneKind.OBSERVATION,
        key=row.sync_id,
        session_key=row.session.key,
        project_name=naming.wire_name(row.project),
        deleted_at=at,
    )


def of_prompt(row: Prompt, session: Session, *, at: datetime) -> Tombstone:
    return Tombstone(
        kind=TombstoneKind.PROMPT,
        key=row.sync_id,
        session_key=session.key,
        project_name=naming.wire_name(session.project),
        source_inbox_id=row.source_inbox_id,
        deleted_at=at,
    )


def put(rows: Iterable[Tombstone]) -> None:
    """Keep tombstones; of something that was deleted before, the newest deletion counts."""
    Tombstone.objects.bulk_create(
        rows, batch_size=500, update_conflicts=True, unique_fields=["kind", "key"], update_fields=_FACTS
    )


def untitle(refs: Iterable[str], *, kind: str = "") -> None:
    """Let the feed forget the titles of what is deleted for good; `kind` leaves other changes of the refs alone.

    After `changes.append` only, whose lock keeps others from the feed. One statement, which reads all of it.
    """
    rows = Change.objects.filter(ref__in=list(refs)).exclude(title="")
    (rows.filter(kind=kind) if kind else rows).update(title="")


def has_inbox_id(session: Session, source_inbox_id: str) -> bool:
    """Tell whether a prompt with this id of its client was deleted in the session. One query."""
    return Tombstone.objects.filter(
        kind=TombstoneKind.PROMPT, session_key=session.key, source_inbox_id=source_inbox_id
    ).exists()
