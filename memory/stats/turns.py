"""Captured turns: what their summaries cost by day, and how long they took."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db.models import Count, QuerySet, Sum

from memory.capture.usage import Day
from memory.models import Capture, Project
from memory.stats.period import LocalDay, Period
from memory.stats.spread import Spread, spread

MOST_READ = 2_000
"""Turns that are counted, the newest to come in: when a summary was written is in no index."""
MOST_TIMED = 300
"""Summaries whose durations are read, the newest."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Summaries by day, newest first; `summary` is what summarizers took, `whole` the time from a turn to its entry.

    `is_cut` when summaries of older turns, which may be of the period as well, were not read.
    """

    days: list[Day]
    summary: Spread | None
    whole: Spread | None
    is_cut: bool


def turns(project: Project | None, period: Period) -> Turns:
    """Sum up the summaries that were written in a period. Three queries."""
    own = Capture.objects.filter(project=project) if project else Capture.objects.all()
    oldest = own.order_by("-pk").values_list("pk", flat=True)[MOST_READ - 1 : MOST_READ].first()
    newest = own.filter(pk__gte=oldest) if oldest else own
    written = newest.exclude(summarizer="").exclude(written_at=None).filter(**period.moments("written_at"))
    timed = list(
        written.order_by("-pk").values_list("duration_ms", "occurred_at", "written_at", "is_backfilled")[:MOST_TIMED]
    )
    return Turns(
        days=_days(written),
        summary=spread(took for took, *_ in timed if took is not None),
        # A turn of the past that is read in late says nothing about how quick entries come.
        whole=spread(_ms(done - ended) for _, ended, done, is_late in timed if done and not is_late),
        is_cut=oldest is not None,
    )


def _days(written: QuerySet[Capture]) -> list[Day]:
    found = (
        written.annotate(day=LocalDay("written_at"))
        .order_by("-day")
        .values_list("day")
        .annotate(Count("pk"), Sum("input_tokens"), Sum("output_tokens"), Sum("cost_usd"))
    )
    return [Day(day, n, read, made, cost or Decimal(0)) for day, n, read, made, cost in found]


def _ms(lasted: timedelta) -> float:
    return max(0.0, lasted.total_seconds() * 1000)
