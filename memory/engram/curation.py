"""What people do to many memories at once: pin, delete, bring back, merge, purge. One transaction each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from memory import audit, refs
from memory.audit import Actor
from memory.engram import combining, holding, marks, versions
from memory.engram.drafts import Draft
from memory.engram.errors import Invalid, NotFound
from memory.engram.text import cut, normalized_hash
from memory.models import Observation


@dataclass(frozen=True, slots=True)
class Preview:
    """What a merge would make: the memory that stays, those that go, and what it would say then.

    `full_size` is the size in bytes of the joined text, where it had to be cut.
    """

    into: Observation
    others: list[Observation]
    content: str
    full_size: int | None


@transaction.atomic(durable=True)
def pin(*, pks: Collection[int], is_pinned: bool, actor: Actor, at: datetime) -> int:
    """Pin or unpin memories; return how many were not already. Deleted ones stay as they are."""
    return marks.pin(holding.observations(pks), is_pinned=is_pinned, actor=actor, at=at)


@transaction.atomic(durable=True)
def delete(*, pks: Collection[int], actor: Actor, reason: str = "", at: datetime) -> int:
    """Delete memories so that they can be restored; return how many were not already deleted."""
    return marks.discard(holding.observations(pks), actor=actor, reason=reason, at=at)


@transaction.atomic(durable=True)
def restore(*, pks: Collection[int], actor: Actor, at: datetime) -> int:
    """Bring deleted memories back; return how many were deleted."""
    return marks.bring_back(holding.observations(pks), actor=actor, at=at)


@transaction.atomic(durable=True)
def purge(*, pks: Collection[int], actor: Actor, reason: str = "", at: datetime) -> int:
    """Erase deleted memories with their versions and their words in index and feed; return how many.

    A tombstone with the id stays, so that no import brings one back. What somebody restored meanwhile stays as well.
    """
    doomed = [row for row in holding.observations(pks) if row.deleted_at]
    return marks.erase(doomed, actor=actor, reason=reason, at=at)


def merge_preview(pks: Sequence[int]) -> Preview:
    """Show what merging these memories into the first of them would make; nothing changes. Raises Invalid, NotFound."""
    if not pks:
        raise Invalid("a merge needs at least two memories")
    into, others = _chosen(pks[0], pks[1:], Observation.objects.in_bulk(list(pks)))
    kept = cut(combining.combined(into, others))
    return Preview(into, others, kept.text, kept.full_size)


@transaction.atomic(durable=True)
def merge(*, into: int, others: Collection[int], actor: Actor, reason: str = "", at: datetime) -> Observation:
    """Let one memory say what several said (see merge_preview); the others are deleted and remember where they went.

    Repetitions add up, and a pin on one of them stays. Raises Invalid, NotFound.
    """
    held = {row.pk: row for row in holding.observations([into, *others])}
    row, gone = _chosen(into, others, held)
    row.duplicate_count += sum(other.duplicate_count for other in gone)
    row.is_pinned = row.is_pinned or any(other.is_pinned for other in gone)
    row.save(update_fields=["duplicate_count", "is_pinned"])
    versions.revise(row, _joined(row, gone), actor=actor, action="observation.merged", reason=reason, at=at)
    marks.discard(gone, actor=actor, reason=reason, at=at)
    Observation.objects.filter(pk__in=[other.pk for other in gone]).update(merged_into=row)
    return row


@transaction.atomic(durable=True)
def unmerge(*, pk: int, actor: Actor, at: datetime) -> Observation:
    """Take back the last merge into a memory: the others are there again.

    It says what it said before, unless it was changed since: then it keeps what a person made of it. Raises NotFound.
    """
    row = holding.live(pk)
    merged = row.merged.deleted().order_by("-deleted_at").values_list("deleted_at", flat=True).first()
    if merged is None:
        raise NotFound("nothing was merged into this memory")
    gone = holding.observations(row.merged.filter(deleted_at=merged).values_list("pk", flat=True))
    row.duplicate_count = max(1, row.duplicate_count - sum(other.duplicate_count for other in gone))
    row.save(update_fields=["duplicate_count"])
    before = row.versions.order_by("-number").first()
    if before and before.replaced_at == merged:
        versions.revise(row, versions.draft(before), actor=actor, action="observation.unmerged", at=at)
    else:
        audit.record(actor, "observation.unmerged", refs.observation(row), at=at)
    marks.bring_back(gone, actor=actor, at=at)
    return row


def _chosen(into: int, others: Collection[int], known: dict[int, Observation]) -> tuple[Observation, list[Observation]]:
    """Return the memories of a merge. Raises NotFound, and Invalid for what cannot be one memory."""
    wanted = [into, *dict.fromkeys(pk for pk in others if pk != into)]
    rows = [known[pk] for pk in wanted if pk in known and not known[pk].deleted_at]
    if len(rows) < len(wanted):
        raise NotFound("observation not found")
    if len(rows) < 2:
        raise Invalid("a merge needs at least two memories")
    if len({row.project_id for row in rows}) > 1:
        raise Invalid("memories of different projects cannot be merged")
    return rows[0], rows[1:]


def _joined(row: Observation, gone: list[Observation]) -> Draft:
    kept = cut(combining.combined(row, gone))
    own = versions.own(row)
    return replace(own, content=kept.text, full_size=kept.full_size, normalized_hash=normalized_hash(kept.text))
