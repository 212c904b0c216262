"""Memories that grow old: decisions, policies and preferences are looked at again after some months."""

from __future__ import annotations

import calendar
from datetime import datetime

from django.db import transaction

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import holding
from memory.models import Observation, Project

_MONTHS = {"decision": 6, "policy": 12, "preference": 3}


def months(type: str) -> int:  # noqa: A002 - the field's name on the wire
    """Return after how many months a memory of this type is reviewed; 0 for a type that is not."""
    return _MONTHS.get(type, 0)


def next_review(type: str, at: datetime) -> datetime | None:  # noqa: A002
    """Return when a memory of this type that is good at `at` is to be reviewed, or None.

    A day that the month does not have becomes its last one.
    """
    wait = months(type)
    if not wait:
        return None
    years, month = divmod(at.month - 1 + wait, 12)
    year = at.year + years
    return at.replace(year=year, month=month + 1, day=min(at.day, calendar.monthrange(year, month + 1)[1]))


def due(*, project: Project | None, limit: int = 10, now: datetime) -> list[Observation]:
    """Return the live memories whose review date has come, oldest date first; of all projects for None. One query."""
    rows = Observation.objects.due(now).select_related("project")
    if project:
        rows = rows.filter(project=project)
    return list(rows.order_by("review_after", "pk")[: max(limit, 0)])


@transaction.atomic(durable=True)
def mark_reviewed(*, pk: int, actor: Actor | None = None, at: datetime) -> Observation:
    """Say that a memory is still good: its next review is counted from now, or there is none for its type.

    Raises NotFound.
    """
    row = holding.live(pk)
    row.review_after, row.updated_at = next_review(row.type, at), at
    row.save(update_fields=["review_after", "updated_at"])
    if actor:
        audit.record(actor, "observation.reviewed", refs.observation(row), at=at)
    changes.append([Note("observation.reviewed", refs.observation(row), row.title)], project=row.project, at=at)
    return row
