"""The objects of Engram's wire; what has no value is left out where Engram leaves it out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from memory.api.engram.replies import without_empty
from memory.engram.naming import wire_name
from memory.engram.relations import Candidate
from memory.engram.timeline import Timeline
from memory.models import Observation, Prompt, Relation, Session

type Json = dict[str, Any]


def stamp(moment: datetime) -> str:
    """Return a moment in UTC as `YYYY-MM-DD HH:MM:SS`."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "seconds")


def stamped(moment: datetime | None) -> str:
    return stamp(moment) if moment else ""


def state(row: Observation, now: datetime) -> str:
    return "needs_review" if row.needs_review(now) else "active"


def observation(row: Observation) -> Json:
    """Describe an observation; costs no query when session and project were selected with it."""
    return without_empty(
        {
            "id": row.pk,
            "sync_id": row.sync_id,
            "session_id": row.session.external_id,
            "type": row.type,
            "title": row.title,
            "content": row.content,
            "tool_name": row.tool_name,
            "project": wire_name(row.project),
            "scope": row.scope,
            "topic_key": row.topic_key,
            "revision_count": row.revision_count,
            "duplicate_count": row.duplicate_count,
            "pinned": row.is_pinned,
            "last_seen_at": stamped(row.last_seen_at),
            "review_after": stamped(row.review_after),
            "created_at": stamp(row.created_at),
            "updated_at": stamp(row.updated_at),
            "deleted_at": stamped(row.deleted_at),
        },
        *("tool_name", "project", "topic_key", "last_seen_at", "review_after", "deleted_at"),
    )


def review_item(row: Observation, now: datetime) -> Json:
    return without_empty(
        {
            "id": row.pk,
            "sync_id": row.sync_id,
            "title": row.title,
            "type": row.type,
            "state": state(row, now),
            "project": wire_name(row.project),
            "review_after": stamped(row.review_after),
        },
        *("project", "review_after"),
    )


def prompt(row: Prompt) -> Json:
    """Describe a prompt; costs no query when session and project were selected with it."""
    return without_empty(
        {
            "id": row.pk,
            "sync_id": row.sync_id,
            "session_id": row.session.external_id,
            "content": row.content,
            "project": wire_name(row.project),
            "created_at": stamp(row.created_at),
            "source_inbox_id": row.source_inbox_id,
        },
        *("project", "source_inbox_id"),
    )


def session(row: Session) -> Json:
    """Describe a session; costs no query when its project was selected with it."""
    return without_empty(
        {
            "id": row.external_id,
            "project": wire_name(row.project),
            "ownership_mode": row.ownership_mode,
            "directory": row.directory,
            "started_at": stamp(row.started_at),
            "ended_at": stamped(row.ended_at),
            "summary": row.summary,
        },
        *("ended_at", "summary"),
    )


def brief(row: Session) -> Json:
    """Describe a session in a list; it comes with its `observation_count`."""
    told = session(row)
    names = ("id", "project", "started_at", "ended_at", "summary")
    return {name: told[name] for name in names if name in told} | {
        "observation_count": getattr(row, "observation_count", 0)
    }


def timeline(found: Timeline) -> Json:
    return {
        "focus": observation(found.focus),
        "before": [_neighbour(row) for row in found.before],
        "after": [_neighbour(row) for row in found.after],
        "session_info": session(found.session),
        "total_in_range": found.total_in_range,
    }


def _neighbour(row: Observation) -> Json:
    told = observation(row)
    return {name: one for name, one in told.items() if name not in {"sync_id", "review_after"}} | {"is_focus": False}


def relation(row: Relation) -> Json:
    """Describe what was judged about two observations."""
    return without_empty(
        {
            "id": row.pk,
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
            "created_at": stamp(row.created_at),
            "updated_at": stamp(row.updated_at),
        },
        *("reason", "evidence", "marked_by_actor", "marked_by_kind", "marked_by_model", "session_id"),
    ) | ({} if row.confidence is None else {"confidence": row.confidence})


def relation_item(row: Relation, *, ends: str = "title") -> Json:
    """Describe a relation in a list: its ends by sync id and title; titles are empty for what is not here."""
    return {
        "relation": row.relation,
        "sync_id": row.sync_id,
        "judgment_status": row.judgment_status,
        "source_id": row.source_sync_id,
        f"source_{ends}": row.source.title if row.source else "",
        "target_id": row.target_sync_id,
        f"target_{ends}": row.target.title if row.target else "",
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
    }


def candidate(one: Candidate) -> Json:
    """Describe a memory that the saved one may contradict; its `judgment_id` is what a verdict names."""
    row = one.observation
    return without_empty(
        {
            "id": row.pk,
            "sync_id": row.sync_id,
            "title": row.title,
            "type": row.type,
            "score": one.score,
            "judgment_id": one.judgment_id,
            "topic_key": row.topic_key,
        },
        "topic_key",
    )


def deferred(row: Relation) -> Json:
    """Describe a relation that waits for one of its memories, as Engram describes what it could not apply yet."""
    payload = relation(row)
    return {
        "sync_id": row.sync_id,
        "entity": "relation",
        "target_key": "local",
        "project": wire_name(row.project) if row.project else "",
        "scope_class": "project",
        "payload": payload,
        "payload_raw": json.dumps(payload),
        "payload_valid": True,
        "apply_status": "deferred",
        "retry_count": 0,
        "first_seen_at": stamp(row.created_at),
    }
