"""The change feed: what happened, in commit order, and the bell that says so.

`Change.id` grows in commit order: SQLite has one writer at a time (IMMEDIATE transactions), and on PostgreSQL an
advisory lock is held from the first append of a transaction to its commit, so that no reader sees 8 before 7.
The bell (`rung`, and NOTIFY on PostgreSQL) carries nothing; whoever hears it reads `after(cursor)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Max
from django.dispatch import Signal

from memory.models import Change, Marker, Project

rung = Signal()
"""Sent after each commit that appended; it carries nothing, and losing it loses nothing."""

NOTIFY = "memdock_changes"
"""The PostgreSQL channel on which the bell rings between processes."""

TRIMMED = "changes.trimmed"
_LOCK = 0x6D656D646F636B  # "memdock"; any constant that is only ours


@dataclass(frozen=True, slots=True)
class Note:
    """One change to be: kind and ref of contract section 5, title for a person."""

    kind: str
    ref: str
    title: str = ""


class ResetRequired(Exception):
    """The cursor is older than the kept log, or was never given out: read the state anew."""


def append(notes: Iterable[Note], *, project: Project | None, at: datetime) -> None:
    """Append changes inside the caller's transaction and ring after its commit."""
    rows = [Change(kind=n.kind, ref=n.ref[:700], title=n.title[:200], project=project, at=at) for n in notes]
    if not rows:
        return
    if not connection.in_atomic_block:
        raise RuntimeError("A change belongs to the transaction that it speaks of.")
    _lock()
    Change.objects.bulk_create(rows, batch_size=2000)
    transaction.on_commit(_ring, robust=True)


def after(cursor: int, *, project: Project | None = None, limit: int = 500) -> list[Change]:
    """Return changes with id > cursor, oldest first. One query."""
    rows = Change.objects.filter(pk__gt=cursor).select_related("project").order_by("pk")
    if project is not None:
        rows = rows.filter(project=project)
    return list(rows[:limit])


def latest() -> int:
    """Return the newest id, 0 before the first change."""
    return Change.objects.aggregate(newest=Max("pk"))["newest"] or 0


def floor() -> int:
    """Return the smallest cursor from which nothing is missing."""
    return Marker.objects.filter(name=TRIMMED).values_list("value", flat=True).first() or 0


def check(cursor: int) -> None:
    """Raise ResetRequired unless everything after the cursor can still be told."""
    if cursor < floor() or cursor > latest():
        raise ResetRequired(cursor)


@transaction.atomic
def trim(*, before: datetime, keep: int = 10_000) -> int:
    """Forget changes older than `before`, except the newest `keep`; return how many went."""
    _lock()
    last = Change.objects.filter(at__lt=before, pk__lte=latest() - keep).aggregate(last=Max("pk"))["last"]
    if last is None:
        return 0
    Marker.objects.update_or_create(name=TRIMMED, defaults={"value": last})
    return Change.objects.filter(pk__lte=last).delete()[0]


def _ring() -> None:
    rung.send_robust(sender=Change)


def _lock() -> None:
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        cursor.execute(f"NOTIFY {NOTIFY}")  # delivered at commit, once a transaction
