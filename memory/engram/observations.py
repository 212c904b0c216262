"""What writes observations: each function is one transaction, which also tells the feed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError, transaction

from memory import changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import drafts, editing, holding, learnings, marks, ownership, saving, versions
from memory.engram.drafts import Draft
from memory.engram.editing import Edit
from memory.engram.errors import EditConflict, ExpectedProjectMismatch, Invalid, NotFound, ReassignmentRefused
from memory.engram.redaction import redact
from memory.engram.saving import Save, Saved
from memory.models import Observation, Session

__all__ = [
    "Captured",
    "Edit",
    "Saved",
    "capture_passive",
    "delete",
    "pin",
    "restore",
    "restore_version",
    "save",
    "update",
]

_LONGEST_OPERATION = 200
_TITLE_BYTES = 60


@dataclass(frozen=True, slots=True)
class Captured:
    """How many learnings a text had, and how many of them were new."""

    extracted: int
    saved: int
    duplicates: int


def save(
    *,
    session_id: str,
    title: str,
    content: str,
    type: str = drafts.DEFAULT_TYPE,  # noqa: A002 - the wire's word
    scope: str = "",
    topic_key: str = "",
    tool_name: str = "",
    project: str = "",
    operation_id: str = "",
    at: datetime,
) -> Saved:
    """Save a memory: as a revision of the one with its topic, as a repetition of the same words, or as a new one.

    The same operation again returns what it saved. Raises Invalid, SessionNotFound, ProjectMismatch, OwnershipRequired
    and OperationConflict; nothing is stored then. Five queries for a new memory; one more each with a topic, with an
    operation and for a repetition, two to keep a version, two on PostgreSQL.
    """
    drafts.required("title", title)
    if not session_id.strip() or not content:
        raise Invalid("session_id and content are required")
    draft = drafts.draft(type=type, title=title, content=content, scope=scope, topic_key=topic_key)
    asked = _identified(
        Save(draft=draft, session_id=session_id, project=project, tool_name=_tool(tool_name), at=at), operation_id
    )
    try:
        return _save(asked)
    except IntegrityError:  # the same operation was just saved in another project, or the project was merged away
        return _save(asked)


@transaction.atomic(durable=True)
def capture_passive(*, session_id: str, content: str, project: str = "", source: str = "", at: datetime) -> Captured:
    """Save each learning that a text lists, unless the project has the same words already, however old.

    Raises Invalid, SessionNotFound, ProjectMismatch, OwnershipRequired.
    """
    if not session_id.strip():
        raise Invalid("session_id is required")
    session = ownership.session_for(session_id=session_id, project=project)
    found = [_learning(item) for item in learnings.extract(redact(content))]
    rows = [
        saving.row(Save(draft=draft, session_id=session_id, project=project, tool_name=_tool(source), at=at), session)
        for draft in _unknown(found, session)
    ]
    if rows:
        Observation.objects.bulk_create(rows)
        ownership.touch(session, at=at)
    notes = [Note("observation.saved", refs.observation(row), row.title) for row in rows]
    changes.append(notes, project=session.project, at=at)
    return Captured(extracted=len(found), saved=len(rows), duplicates=len(found) - len(rows))


@transaction.atomic(durable=True)
def update(
    *,
    pk: int,
    edit: Edit,
    expected_project: str = "",
    expected_revision: int | None = None,
    actor: Actor | None = None,
    reason: str = "",
    at: datetime,
) -> Observation:
    """Change an observation and keep what it said; an edit that changes no word makes no revision.

    Raises Invalid, NotFound, ExpectedProjectMismatch, ReassignmentRefused, and EditConflict when the revision that was
    edited is not the newest any more.
    """
    edit.check()
    row = _expected(holding.live(pk), expected_project)
    if edit.project is not None and not ownership.is_named(row.project, edit.project):
        raise ReassignmentRefused
    if expected_revision not in {None, row.revision_count}:
        raise EditConflict(revision=row.revision_count)
    draft = editing.edited(row, edit)
    if versions.differs(row, draft):
        versions.revise(row, draft, actor=actor, reason=reason, at=at)
    return row


@transaction.atomic(durable=True)
def delete(
    *,
    pk: int,
    hard: bool = False,
    expected_project: str = "",
    actor: Actor | None = None,
    reason: str = "",
    at: datetime,
) -> None:
    """Delete an observation: softly, so that it can be restored, or for good, deleted before or not.

    Raises NotFound, ExpectedProjectMismatch.
    """
    row = _expected(holding.observation(pk) if hard else holding.live(pk), expected_project)
    if hard:
        marks.erase([row], actor=actor, reason=reason, at=at)
    else:
        marks.discard([row], actor=actor, reason=reason, at=at)


@transaction.atomic(durable=True)
def restore(*, pk: int, actor: Actor | None = None, at: datetime) -> Observation:
    """Bring a deleted observation back; one that is not deleted stays as it is. Raises NotFound."""
    row = holding.observation(pk)
    marks.bring_back([row], actor=actor, at=at)
    return row


@transaction.atomic(durable=True)
def pin(*, pk: int, is_pinned: bool, actor: Actor | None = None, at: datetime) -> Observation:
    """Pin or unpin an observation. Raises NotFound."""
    row = holding.live(pk)
    marks.pin([row], is_pinned=is_pinned, actor=actor, at=at)
    return row


@transaction.atomic(durable=True)
def restore_version(*, pk: int, number: int, actor: Actor | None = None, at: datetime) -> Observation:
    """Let an observation say again what it said; what it says now becomes a version too. Raises NotFound."""
    row = holding.live(pk)
    version = row.versions.filter(number=number).first()
    if version is None:
        raise NotFound(f"version {number} not found")
    draft = versions.draft(version)
    if versions.differs(row, draft):
        versions.revise(row, draft, actor=actor, action="observation.version_restored", at=at)
    return row


@transaction.atomic(durable=True)
def _save(asked: Save) -> Saved:
    return saving.save(asked)


def _identified(asked: Save, operation_id: str) -> Save:
    """Add the writer's own id of the save, and what tells one payload from another."""
    if len(operation_id) > _LONGEST_OPERATION:
        raise Invalid(f"operation_id is longer than {_LONGEST_OPERATION} characters")
    if not (own := redact(operation_id)):
        return asked
    place = {"session": asked.session_id, "project": asked.project.strip(), "tool": asked.tool_name}
    return replace(asked, operation_id=own, operation_hash=asked.draft.fingerprint(**place))


def _expected(row: Observation, project: str) -> Observation:
    if project.strip() and not ownership.is_named(row.project, project):
        raise ExpectedProjectMismatch
    return row


def _tool(name: str) -> str:
    return redact(name)[:300]


def _learning(item: str) -> Draft:
    start = item.encode()[:_TITLE_BYTES].decode(errors="ignore")
    title = start if start == item else f"{start}..."
    return drafts.draft(type="passive", title=title, content=item, scope="", topic_key="")


def _unknown(found: list[Draft], session: Session) -> list[Draft]:
    """Leave out what the project has, and what stands in the text a second time. One query."""
    first: dict[str, Draft] = {}
    for draft in found:
        first.setdefault(draft.normalized_hash, draft)
    rows = Observation.objects.live().filter(project=session.project, normalized_hash__in=first)
    known = set(rows.values_list("normalized_hash", flat=True))
    return [draft for key, draft in first.items() if key not in known]
