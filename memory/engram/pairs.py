"""Pairs of observations, and the relations between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Q, QuerySet

from memory.engram import naming
from memory.models import Observation, Relation


def key(one: Observation, other: Observation) -> frozenset[str]:
    """Return what names a pair, whichever way round."""
    return frozenset((one.sync_id, other.sync_id))


def known(observations: Iterable[Observation]) -> dict[frozenset[str], Relation]:
    """Return the relations among some observations by pair; the newest of a pair wins. One query."""
    ids = {row.sync_id for row in observations}
    rows = Relation.objects.filter(source_sync_id__in=ids, target_sync_id__in=ids).order_by("pk")
    return {frozenset((row.source_sync_id, row.target_sync_id)): row for row in rows}


def between(some: Collection[str], others: Collection[str]) -> QuerySet[Relation]:
    """Return the relations with one end in each of two sets of sync ids."""
    there = Q(source_sync_id__in=some, target_sync_id__in=others)
    back = Q(source_sync_id__in=others, target_sync_id__in=some)
    return Relation.objects.filter(there | back)


def new(source: Observation, target: Observation, *, at: datetime) -> Relation:
    """Make a pending relation, not yet saved: the source is what is judged, the target what it is judged against."""
    return Relation(
        sync_id=naming.new_sync_id("rel"),
        project_id=source.project_id,
        source=source,
        source_sync_id=source.sync_id,
        target=target,
        target_sync_id=target.sync_id,
        created_at=at,
        updated_at=at,
    )
