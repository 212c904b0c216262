"""Rows as Engram writes them."""

from __future__ import annotations

from typing import Any

DAY = "2026-02-03"


def session(id: str = "s1", **over: Any) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "project": "harbor", "directory": "/src/harbor", "started_at": f"{DAY} 08:00:00"} | over


def observation(sync_id: str = "obs-1", *, at: str = "09:00:00", **over: Any) -> dict[str, Any]:
    """Return an observation that was last written at a time of day."""
    return {
        "id": 1,
        "sync_id": sync_id,
        "session_id": "s1",
        "type": "decision",
        "title": "Leases are kept in Redis",
        "content": "They expire there.",
        "project": "harbor",
        "scope": "project",
        "revision_count": 1,
        "duplicate_count": 1,
        "created_at": f"{DAY} 09:00:00",
        "updated_at": f"{DAY} {at}",
    } | over


def deleted(sync_id: str = "obs-1", *, at: str, **over: Any) -> dict[str, Any]:
    return observation(sync_id, at=at, deleted_at=f"{DAY} {at}", **over)


def prompt(sync_id: str = "prompt-1", **over: Any) -> dict[str, Any]:
    return {
        "sync_id": sync_id,
        "session_id": "s1",
        "content": "Where are leases kept?",
        "project": "harbor",
        "created_at": f"{DAY} 09:30:00",
    } | over


def relation(sync_id: str = "rel-1", source: str = "obs-1", target: str = "obs-2", **over: Any) -> dict[str, Any]:
    return {
        "sync_id": sync_id,
        "source_id": source,
        "target_id": target,
        "relation": "related",
        "judgment_status": "judged",
        "created_at": f"{DAY} 10:00:00",
        "updated_at": f"{DAY} 10:00:00",
    } | over


def mutation(entity: str, op: str, payload: str, **over: Any) -> dict[str, Any]:
    return {"entity": entity, "entity_key": "", "op": op, "payload": payload, "occurred_at": f"{DAY} 12:00:00"} | over
