"""How a memory relates to others, in words."""

from __future__ import annotations

from dataclasses import dataclass

from dock.contexts import links
from memory.engram import relations
from memory.models import Observation, Relation
from memory.models.observation import Judgment, Verb

LISTED = 50
"""Relations that a page lists, the newest first."""

_WORDS = {
    Verb.PENDING: "may conflict",
    Verb.RELATED: "related",
    Verb.COMPATIBLE: "compatible",
    Verb.SCOPED: "scoped",
    Verb.CONFLICTS_WITH: "conflicts",
    Verb.SUPERSEDES: "supersedes",
    Verb.NOT_CONFLICT: "no conflict",
}


@dataclass(frozen=True, slots=True)
class RelationItem:
    """One relation, seen from one of its memories; without `url` the other one is not here."""

    words: str
    is_warning: bool
    url: str
    title: str
    number: int | None
    reason: str
    judged_by: str
    confidence: float | None
    merge_url: str


def listing(row: Observation) -> list[RelationItem]:
    """List the relations of a memory, the newest first. One query."""
    found = relations.of([row.pk]).order_by("-updated_at", "-pk")[:LISTED]
    return [_item(one, row) for one in found]


def _item(relation: Relation, row: Observation) -> RelationItem:
    is_source = relation.source_id == row.pk
    other = relation.target if is_source else relation.source
    is_pending = relation.judgment_status == Judgment.PENDING
    can_merge = is_pending and other is not None and not (other.deleted_at or row.deleted_at)
    return RelationItem(
        words=_words(relation, is_source=is_source),
        is_warning=is_pending or relation.relation == Verb.CONFLICTS_WITH,
        url=links.to("memory-detail", other.pk) if other else "",
        title=_title(relation, other),
        number=other.pk if other else None,
        reason=relation.reason,
        judged_by="" if is_pending else relation.marked_by_actor or relation.marked_by_kind,
        confidence=relation.confidence,
        merge_url=f"{links.to('memory-merge')}?pk={row.pk}&pk={other.pk}" if can_merge and other else "",
    )


def _words(relation: Relation, *, is_source: bool) -> str:
    if relation.relation == Verb.SUPERSEDES and not is_source:
        return "superseded by"
    return _WORDS[Verb(relation.relation)]


def _title(relation: Relation, other: Observation | None) -> str:
    if other:
        return f"{other.title or f'Memory {other.pk}'}{' (in the trash)' if other.deleted_at else ''}"
    if relation.judgment_status == Judgment.ORPHANED:
        return "A memory that was removed"
    return "A memory that is not here yet"
