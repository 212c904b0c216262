"""Rows as Engram's export 0.2.0 writes them; what has no value is left out where Engram leaves it out.

Times keep their fractions, and what Engram has no key for has one of its own, which Engram passes over: `is_stub` of
sessions, and `full_size` of texts that were cut.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory.engram.exchange.known import is_final
from memory.engram.exchange.records import RECOVERED
from memory.engram.naming import wire_name
from memory.models import Observation, ObservationVersion, Prompt, Relation, Session, Tombstone

type Json = dict[str, Any]


def stamp(moment: datetime | None) -> str:
    """Return a moment in UTC as `YYYY-MM-DD HH:MM:SS`, with its fraction where it has one."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ") if moment else ""


def session(row: Session) -> Json:
    """Describe a session; one whose record is missing looks as Engram's own stand-ins do."""
    return _without_empty(
        {
            "id": row.external_id,
            "project": wire_name(row.project),
            "ownership_mode": row.ownership_mode,
            "directory": RECOVERED if row.is_stub else row.directory,
            "started_at": stamp(row.started_at),
            "ended_at": stamp(row.ended_at),
            "summary": row.summary,
            "is_stub": row.is_stub,
        },
        *("ended_at", "summary", "is_stub"),
    )


def observation(row: Observation) -> Json:
    return _without_empty(
        {
            "sync_id": row.sync_id,
            "session_id": row.session.external_id,
            "type": row.type,
            "title": row.title,
            "content": row.content,
            "tool_name": row.tool_name,
            "project": row.project_label or wire_name(row.project),
            "scope": row.scope,
            "topic_key": row.topic_key,
            "revision_count": row.revision_count,
            "duplicate_count": row.duplicate_count,
            "last_seen_at": stamp(row.last_seen_at),
            "review_after": stamp(row.review_after),
            "created_at": stamp(row.created_at),
            "updated_at": stamp(row.updated_at),
            "deleted_at": stamp(row.deleted_at),
            "pinned": row.is_pinned,
            "full_size": row.full_size,
        },
        *("tool_name", "project", "topic_key", "last_seen_at", "review_after", "deleted_at", "full_size"),
    )


def version(row: ObservationVersion) -> Json:
    """Describe what an observation said before, with all that Engram's table has and more."""
    return _without_empty(
        {
            "observation_sync_id": row.observation.sync_id,
            "version": row.number,
            "type": row.type,
            "title": row.title,
            "content": row.content,
            "scope": row.scope,
            "topic_key": row.topic_key,
            "created_at": stamp(row.created_at),
            "replaced_at": stamp(row.replaced_at),
            "replaced_by": row.replaced_by,
        },
        "replaced_by",
    )


def prompt(row: Prompt) -> Json:
    return _without_empty(
        {
            "sync_id": row.sync_id,
            "session_id": row.session.external_id,
            "content": row.content,
            "project": row.project_label or wire_name(row.project),
            "created_at": stamp(row.created_at),
            "source_inbox_id": row.source_inbox_id,
            "full_size": row.full_size,
        },
        *("project", "source_inbox_id", "full_size"),
    )


def relation(row: Relation) -> Json:
    told = _without_empty(
        {
            "sync_id": row.sync_id,
            "source_id": row.source_sync_id,
            "target_id": row.target_sync_id,
            "relation": row.relation,
            "reason": row.reason,
            "evidence": row.evidence,
            "judgment_status": row.judgment_status,
            "marked_by_actor": row.marked_by_actor,
            "marked_by_kind": row.marked_by_kind,
            "marked_by_model": row.marked_by_model,
            "session_id": row.session_key,
            "superseded_at": stamp(row.superseded_at),
            "superseded_by_relation_sync_id": row.superseded_by,
            "created_at": stamp(row.created_at),
            "updated_at": stamp(row.updated_at),
        },
        *("reason", "evidence", "marked_by_actor", "marked_by_kind", "marked_by_model", "session_id"),
        *("superseded_at", "superseded_by_relation_sync_id"),
    )
    return told if row.confidence is None else told | {"confidence": row.confidence}


def deleted_prompt(row: Tombstone) -> Json:
    return _without_empty(
        {
            "sync_id": row.key,
            "session_id": row.session_key,
            "project": row.project_name,
            "source_inbox_id": row.source_inbox_id,
            "deleted_at": stamp(row.deleted_at),
        },
        *("project", "source_inbox_id"),
    )


def tombstone(row: Tombstone) -> Json:
    """Describe the deletion of an observation or session as Engram's table `sync_delete_tombstones` does."""
    return {
        "entity": row.kind,
        "entity_key": row.key,
        "session_id": row.session_key,
        "project": row.project_name,
        "deleted_at": stamp(row.deleted_at),
        "hard_delete": is_final(row),
    }


def _without_empty(value: Json, *names: str) -> Json:
    return {name: one for name, one in value.items() if one or name not in names}
