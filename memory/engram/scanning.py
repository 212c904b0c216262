"""Looks through what is remembered for pairs of memories that nobody judged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from memory import locks
from memory.engram import alike, pairs
from memory.models import Observation, Project, Relation

type Pair = tuple[Observation, Observation]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a search for unjudged pairs found; `next_cursor` is None when nothing is left to look at."""

    inspected: int
    candidates_found: int
    already_related: int
    inserted: int
    capped: bool
    next_cursor: int | None


def scan(
    *,
    project: Project | None = None,
    since: datetime | None = None,
    limit: int = 100,
    cursor: int = 0,
    apply: bool = False,
    max_insert: int = 100,
    at: datetime,
) -> Scan:
    """Look for pairs of memories that nobody judged; `apply` proposes them, `max_insert` at most.

    Looks at up to `limit` observations with an id above `cursor`, and pairs each with older ones.
    """
    rows = Observation.objects.live().filter(pk__gt=cursor)
    rows = rows.filter(project=project) if project else rows
    rows = rows.filter(created_at__gte=since) if since else rows
    found = list(rows.order_by("pk")[: limit + 1])
    near = [(row, one.observation) for row in found[:limit] for one in alike.find(row) if one.observation.pk < row.pk]
    known = pairs.known(row for pair in near for row in pair)
    fresh = [pair for pair in near if pairs.key(*pair) not in known]
    inserted = _propose(fresh[:max_insert], at=at) if apply and fresh else 0
    return Scan(
        inspected=len(found[:limit]),
        candidates_found=len(near),
        already_related=len(near) - len(fresh),
        inserted=inserted,
        capped=apply and len(fresh) > max_insert,
        next_cursor=found[limit - 1].pk if len(found) > limit else None,
    )


@transaction.atomic(durable=True)
def _propose(found: list[Pair], *, at: datetime) -> int:
    for owner in sorted({source.project_id for source, _ in found}):
        locks.project(owner)
    known = pairs.known(row for pair in found for row in pair)
    rows = [pairs.new(*pair, at=at) for pair in found if pairs.key(*pair) not in known]
    return len(Relation.objects.bulk_create(rows))
