"""Rows as they come in: sessions, observations, prompts, relations and deletions, whatever their source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from memory.engram import drafts, holding, naming
from memory.engram.drafts import Draft
from memory.engram.exchange import values
from memory.engram.exchange.values import UNKNOWN_TIME, moment, text
from memory.engram.text import Cut, arrived_cut, cut, normalized_hash
from memory.models.observation import Judgment, Verb
from memory.models.prompt import TombstoneKind
from memory.models.session import Ownership
from memory.transcripts.conversation import JsonObject

RECOVERED = "(recovered-missing-session)"
"""The directory by which Engram marks a session that it had to invent."""


class Unusable(ValueError):
    """A row that cannot be taken; the message says why, and `what` which one it is."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(why)
        self.what = what


@dataclass(frozen=True, kw_only=True)
class SessionRecord:
    """A session; `is_invented` when its source had no record of it either."""

    id: str
    project: str
    directory: str
    mode: str
    started_at: datetime | None
    ended_at: datetime | None
    summary: str
    is_stub: bool
    is_invented: bool

    @classmethod
    def of(cls, row: JsonObject) -> SessionRecord:
        """Read a session. Raises Unusable."""
        if not (id_ := session_key(row, "id")):
            raise Unusable("a session", "It has no id.")
        mode, directory, is_stub = text(row, "ownership_mode"), text(row, "directory"), values.flag(row, "is_stub")
        return cls(
            id=id_,
            project=text(row, "project"),
            directory="" if is_stub else directory,
            mode=mode if mode in Ownership.values else "",
            started_at=moment(row, "started_at"),
            ended_at=moment(row, "ended_at"),
            summary=cut(text(row, "summary")).text,
            is_stub=is_stub,
            is_invented=is_stub or directory == RECOVERED,
        )


@dataclass(frozen=True, kw_only=True)
class ObservationRecord:
    """An observation; what it says is made ready only when it is going to be written."""

    sync_id: str
    session_id: str
    project: str
    revision_count: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    is_pinned: bool
    row: JsonObject

    @classmethod
    def of(cls, row: JsonObject) -> ObservationRecord:
        times = (moment(row, name) for name in ("created_at", "updated_at", "last_seen_at", "deleted_at"))
        created = next(filter(None, times), UNKNOWN_TIME)
        session_id, project = session_key(row, "session_id"), text(row, "project")
        words = [text(row, name) for name in ("type", "title", "content")]
        return cls(
            sync_id=values.identifier(row, "sync_id") or values.made_id("obs", session_id, *words, str(created)),
            session_id=session_id or orphanage(project),
            project=project,
            revision_count=values.count(row, "revision_count"),
            created_at=created,
            updated_at=moment(row, "updated_at") or created,
            deleted_at=moment(row, "deleted_at"),
            is_pinned=values.flag(row, "pinned"),
            row=row,
        )

    @property
    def rank(self) -> tuple[datetime, int]:
        """Of two rows with one sync id the one with the higher rank is the newer."""
        return self.updated_at, max(self.revision_count, 1)

    @cached_property
    def draft(self) -> Draft:
        """What it says: redacted, cut and normalised. Anything may be empty, nothing is refused."""
        kept = _content(self.row)
        return Draft(
            type=drafts.type_name(text(self.row, "type")),
            title=text(self.row, "title"),
            content=kept.text,
            full_size=kept.full_size,
            scope=naming.scope(text(self.row, "scope")),
            topic_key=drafts.topic(text(self.row, "topic_key")),
            normalized_hash=normalized_hash(kept.text),
        )


@dataclass(frozen=True, kw_only=True)
class PromptRecord:
    """A prompt; it never changes."""

    sync_id: str
    session_id: str
    project: str
    source_inbox_id: str
    created_at: datetime
    row: JsonObject

    @classmethod
    def of(cls, row: JsonObject) -> PromptRecord:
        """Read a prompt. Raises Unusable."""
        created, project = moment(row, "created_at") or UNKNOWN_TIME, text(row, "project")
        session_id, content = session_key(row, "session_id"), text(row, "content")
        sync_id = values.identifier(row, "sync_id") or values.made_id("prompt", session_id, content, str(created))
        if not content.strip():
            raise Unusable(f"prompt {sync_id}", "It is empty.")
        return cls(
            sync_id=sync_id,
            session_id=session_id or orphanage(project),
            project=project,
            source_inbox_id=values.identifier(row, "source_inbox_id", longest=300),
            created_at=created,
            row=row,
        )

    @cached_property
    def content(self) -> Cut:
        return _content(self.row)


@dataclass(frozen=True, kw_only=True)
class RelationRecord:
    """What was found or judged about two observations, which are known by their sync ids."""

    sync_id: str
    source: str
    target: str
    verb: str
    judgment: str
    created_at: datetime
    updated_at: datetime
    row: JsonObject

    @classmethod
    def of(cls, row: JsonObject) -> RelationRecord:
        """Read a relation. Raises Unusable."""
        source, target = values.identifier(row, "source_id"), values.identifier(row, "target_id")
        verb = text(row, "relation") or Verb.PENDING
        created = moment(row, "created_at") or moment(row, "updated_at") or UNKNOWN_TIME
        sync_id = values.identifier(row, "sync_id") or values.made_id("rel", source, target, verb, str(created))
        if not source or not target:
            raise Unusable(f"relation {sync_id}", "It does not name two memories.")
        if verb not in Verb.values:
            raise Unusable(f"relation {sync_id}", f"Nobody knows what “{verb[:60]}” means.")
        judgment = text(row, "judgment_status")
        return cls(
            sync_id=sync_id,
            source=source,
            target=target,
            verb=verb,
            judgment=judgment if judgment in Judgment.values else Judgment.PENDING,
            created_at=created,
            updated_at=moment(row, "updated_at") or created,
            row=row,
        )


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """Something that was deleted elsewhere; `is_final` when nothing of it is to stay."""

    kind: TombstoneKind
    key: str
    session_id: str
    project: str
    source_inbox_id: str
    deleted_at: datetime
    is_final: bool


def session_key(row: JsonObject, name: str) -> str:
    """Return the id of a session as it is stored; "" for a blank one."""
    value = text(row, name)
    return holding.key(value) if value.strip() else ""


def orphanage(project: str) -> str:
    """Return the session of what names none, as Engram calls it."""
    return holding.key(f"manual-save-{project.strip()}" if project.strip() else "manual-save")


def _content(row: JsonObject) -> Cut:
    """Cut a content; what MemDock itself had cut comes back with the size that it had."""
    kept = cut(text(row, "content"))
    told = values.count(row, "full_size")
    return Cut(kept.text, told) if told and kept.full_size is None and arrived_cut(kept.text) else kept
