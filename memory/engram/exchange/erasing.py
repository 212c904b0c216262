"""Deletes for good what was deleted elsewhere, and keeps what deletions have to be known later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from memory import changes, refs
from memory.changes import Note
from memory.engram import marks, tombstones
from memory.engram.exchange.plans import Plan
from memory.engram.exchange.records import Deletion
from memory.models import Observation, Prompt, Tombstone
from memory.models.prompt import TombstoneKind

UNKNOWN_SESSION = "?"
"""Stands for the session of a deletion for good that does not name one; without any it would not be for good."""


def erase(plan: Plan, *, at: datetime) -> None:
    """Delete what a plan says, in the caller's transaction."""
    if plan.erased:
        _erase_observations(plan, at=at)
    if plan.lost_prompts:
        _erase_prompts(plan.lost_prompts, at=at)
    if plan.graves:
        tombstones.put(_tombstones(plan.graves))


def _erase_observations(plan: Plan, *, at: datetime) -> None:
    rows = list(Observation.objects.filter(sync_id__in=plan.erased).select_related("project", "session"))
    marks.erase(rows, actor=None, at=at)
    # A copy that was written after the deletion elsewhere, and before it came to be known here, is newer than it.
    tombstones.put([tombstones.of_observation(row, at=plan.erased[row.sync_id]) for row in rows])


def _erase_prompts(pks: Sequence[int], *, at: datetime) -> None:
    rows = list(Prompt.objects.filter(pk__in=pks).select_related("project", "session__project"))
    tombstones.put([tombstones.of_prompt(row, row.session, at=at) for row in rows])
    tombstones.untitle([refs.prompt(row) for row in rows])
    for row in rows:
        changes.append([Note("prompt.deleted", refs.prompt(row))], project=row.project, at=at)
    Prompt.objects.filter(pk__in=pks).delete()


def _tombstones(deletions: Iterable[Deletion]) -> Iterator[Tombstone]:
    """Yield one tombstone for each thing; what is told of one thing twice is told by the last."""
    for one in {(one.kind, one.key): one for one in deletions}.values():
        session = one.session_id
        if one.kind == TombstoneKind.OBSERVATION:
            session = (session or UNKNOWN_SESSION) if one.is_final else ""
        yield Tombstone(
            kind=one.kind,
            key=one.key,
            session_key=session,
            project_name=one.project[:500],
            source_inbox_id=one.source_inbox_id,
            deleted_at=one.deleted_at,
        )
