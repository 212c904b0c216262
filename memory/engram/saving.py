"""The steps of a save, inside the caller's transaction: a revision of a topic, a repetition, or a new memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory import changes, refs
from memory.changes import Note
from memory.engram import drafts, naming, ownership, review, versions
from memory.engram.drafts import Draft
from memory.engram.errors import OperationConflict
from memory.models import Observation, Session

REPEATED_WITHIN = timedelta(minutes=15)
"""How long the same words again count as a repetition (Engram's window)."""

type Outcome = Literal["inserted", "duplicate", "revised"]


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a save."""

    observation: Observation
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """What is to be saved and where; `operation_hash` tells whether an operation that comes again brings the same."""

    draft: Draft
    session_id: str
    project: str
    tool_name: str
    operation_id: str = ""
    operation_hash: str = ""
    at: datetime


def save(asked: Save) -> Saved:
    """Save it. Raises SessionNotFound, ProjectMismatch, OwnershipRequired, OperationConflict."""
    session = ownership.session_for(session_id=asked.session_id, project=asked.project)
    if known := _done_before(asked):
        return Saved(known, "duplicate")
    ownership.touch(session, at=asked.at)
    if known := _of_topic(asked.draft, session):
        return _revise(known, asked, session)
    if known := _same_words(asked.draft, session, since=asked.at - REPEATED_WITHIN):
        return _repeat(known, asked, session)
    return _insert(asked, session)


def row(asked: Save, session: Session) -> Observation:
    """Return a new observation of a session; storing it is the caller's."""
    made = Observation(
        sync_id=naming.new_sync_id("obs"),
        session=session,
        project=session.project,
        project_label=ownership.label(session.project, asked.project),
        tool_name=asked.tool_name,
        operation_id=asked.operation_id,
        operation_hash=asked.operation_hash,
        review_after=review.next_review(asked.draft.type, asked.at),
        last_seen_at=asked.at,
        created_at=asked.at,
        updated_at=asked.at,
    )
    asked.draft.write(made)
    return made


def _done_before(asked: Save) -> Observation | None:
    """Return what this operation saved before. Raises OperationConflict."""
    if not asked.operation_id:
        return None
    rows = Observation.objects.exclude(operation_id="").select_related("project", "session")
    known = rows.filter(operation_id=asked.operation_id).first()
    if known and known.operation_hash != asked.operation_hash:
        raise OperationConflict
    return known


def _of_topic(draft: Draft, session: Session) -> Observation | None:
    if not draft.topic_key:
        return None
    rows = Observation.objects.live().exclude(topic_key="")  # the condition of the partial index, word by word
    rows = rows.filter(project=session.project, topic_key=draft.topic_key, scope=draft.scope)
    return rows.order_by("-updated_at", "-pk").first()


def _same_words(draft: Draft, session: Session, *, since: datetime) -> Observation | None:
    rows = Observation.objects.live().filter(
        project=session.project,
        normalized_hash=draft.normalized_hash,
        scope=draft.scope,
        type=draft.type,
        title=draft.title,
    )
    # Times are compared here: asked for them, SQLite would rather read all memories of the project by their times.
    recent = [(at, pk) for at, pk in rows.values_list("created_at", "pk") if at >= since]
    return Observation.objects.get(pk=max(recent)[1]) if recent else None


def _revise(known: Observation, asked: Save, session: Session) -> Saved:
    """Let the newest save of a topic replace the words of the one before, which stay as a version."""
    if versions.differs(known, asked.draft):
        versions.keep(known, by="", at=asked.at)
    asked.draft.write(known)
    known.session, known.project, known.tool_name = session, session.project, asked.tool_name
    known.revision_count += 1
    _store(known, asked, "session", "tool_name", "revision_count", *drafts.FIELDS)
    return Saved(known, "revised")


def _repeat(known: Observation, asked: Save, session: Session) -> Saved:
    known.project = session.project
    known.duplicate_count += 1
    _store(known, asked, "duplicate_count")
    return Saved(known, "duplicate")


def _store(known: Observation, asked: Save, *columns: str) -> None:
    """Store what was saved once more; of its operations the newest is the one that can come again."""
    known.last_seen_at = known.updated_at = asked.at
    if asked.operation_id:
        known.operation_id, known.operation_hash = asked.operation_id, asked.operation_hash
    known.save(update_fields=[*columns, "last_seen_at", "updated_at", "operation_id", "operation_hash"])
    _tell("observation.updated", known, at=asked.at)


def _insert(asked: Save, session: Session) -> Saved:
    made = row(asked, session)
    made.save(force_insert=True)
    _tell("observation.saved", made, at=asked.at)
    return Saved(made, "inserted")


def _tell(kind: str, saved: Observation, *, at: datetime) -> None:
    changes.append([Note(kind, refs.observation(saved), saved.title)], project=saved.project, at=at)
