"""Revisions of observations: what one said before is kept whenever its words change, so that nothing is lost."""

from __future__ import annotations

from datetime import datetime

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import drafts
from memory.engram.drafts import Draft
from memory.engram.text import normalized_hash
from memory.models import Observation, ObservationVersion

_WORDS = ("type", "title", "content", "scope", "topic_key")


def differs(row: Observation, draft: Draft) -> bool:
    """Tell whether a draft says something else than the row."""
    return any(getattr(row, name) != getattr(draft, name) for name in _WORDS)


def revise(
    row: Observation, draft: Draft, *, actor: Actor | None = None, action: str = "", reason: str = "", at: datetime
) -> None:
    """Let a row say something new, in the caller's transaction; `action` is how the audit trail calls a person's act."""
    by = actor.label if actor else ""
    keep(row, by=by, at=at)
    draft.write(row)
    row.revision_count += 1
    row.updated_at = at
    row.save(update_fields=[*drafts.FIELDS, "revision_count", "updated_at"])
    changes.append([Note("observation.updated", refs.observation(row), row.title)], project=row.project, at=at)
    if actor:
        why = {"reason": reason} if reason else {}
        action = action or "observation.updated"
        audit.record(actor, action, refs.observation(row), at=at, revision=row.revision_count, **why)


def keep(row: Observation, *, by: str, at: datetime) -> None:
    """Keep what a row says now as its newest version, in the caller's transaction. Two queries."""
    last = row.versions.order_by("-number").values_list("number", "replaced_at").first()
    number, since = last or (0, row.created_at)
    ObservationVersion.objects.create(
        observation=row,
        number=number + 1,
        replaced_by=by[:200],
        created_at=since,
        replaced_at=at,
        **{name: getattr(row, name) for name in _WORDS},
    )


def own(row: Observation) -> Draft:
    """Return what an observation says now."""
    return Draft(**{name: getattr(row, name) for name in drafts.FIELDS})


def draft(version: ObservationVersion) -> Draft:
    """Return what a version says, to be said again."""
    words = {name: getattr(version, name) for name in _WORDS}
    return Draft(full_size=None, normalized_hash=normalized_hash(version.content), **words)
