"""How many summaries were made, and what they cost; a daily cap stops summaries, never captures."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, F, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from memory.capture.summarizers import extractive
from memory.capture.summarizers.base import Unavailable
from memory.configuration import memsearch
from memory.configuration.memsearch import Configuration
from memory.models import Capture, Project, UpkeepRun

CAP = "capture.daily_summaries"
TOKENS = "capture.daily_tokens"
CENTS = "capture.daily_cents"
FREE = frozenset({extractive.name})
"""Summarizers that ask no model: they count towards no limit, and none stops them."""


class Day(NamedTuple):
    """Summaries of one local day; tokens and dollars are sums, an unknown price counts as nothing."""

    day: date
    summaries: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal


class LimitReached(Unavailable):
    """Today's summaries are made; `until` is when the next day begins."""

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message)
        self.until = until


def check(capture: Capture, *, at: datetime) -> None:
    """Raise LimitReached when what models did today, over all projects, reached a limit. At most five queries.

    Turns of the past leave half of a day's limits to those that are still to come.
    """
    reason = reached(memsearch.effective(capture.project), "summaries", is_past=capture.is_backfilled, at=at)
    if reason:
        tomorrow = timezone.make_aware(datetime.combine(timezone.localtime(at).date() + timedelta(days=1), time()))
        raise LimitReached(reason, tomorrow)


def reached(configuration: Configuration, noun: str, *, is_past: bool = False, at: datetime) -> str:
    """Say which limit of the day is reached, "" for none; 0 means no limit, and a price that nobody told no money."""
    tokens, cents = spent(at=at) if configuration.number(TOKENS) or configuration.number(CENTS) else (0, 0)
    used = ((CAP, today(at=at), noun), (TOKENS, tokens, "tokens"), (CENTS, cents, "cents"))
    for key, count, what in used:
        limit = configuration.number(key)
        share = for_the_past(limit) if is_past else limit
        if limit and count >= share:
            half = "half of " if share < limit else ""
            return f"{half}the daily limit of {limit} {what} is reached"
    return ""


def spent(*, at: datetime) -> tuple[int, int]:
    """Sum up the tokens, in and out, and the cents of summaries and of upkeep since midnight. Two queries."""
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    sums = {"tokens": Sum(F("input_tokens") + F("output_tokens")), "cost": Sum("cost_usd")}
    captures = Capture.objects.filter(written_at__gte=midnight).aggregate(**sums)
    runs = UpkeepRun.objects.filter(started_at__gte=midnight).aggregate(**sums)
    tokens = sum(found["tokens"] or 0 for found in (captures, runs))
    return tokens, int(100 * sum(found["cost"] or Decimal(0) for found in (captures, runs)))


def today(*, at: datetime) -> int:
    """Count the summaries and the runs of upkeep that models were asked for since midnight. Two queries."""
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    summaries = Capture.objects.exclude(summarizer__in=["", *FREE]).filter(written_at__gte=midnight)
    runs = UpkeepRun.objects.exclude(provider="").filter(started_at__gte=midnight)
    return summaries.count() + runs.count()


def for_the_past(cap: int) -> int:
    """Return how many of a day's summaries turns of the past may take; 0 where there is no cap."""
    return (cap + 1) // 2


def days(project: Project | None = None, *, limit: int = 30) -> list[Day]:
    """Return the days with summaries among the last `limit` ones, newest first. One query."""
    since = timezone.now() - timedelta(days=limit)
    rows = Capture.objects.exclude(summarizer="").filter(written_at__gte=since)
    if project:
        rows = rows.filter(project=project)
    found = (
        rows.annotate(day=TruncDate("written_at"))
        .values("day")
        .annotate(n=Count("pk"), tokens_in=Sum("input_tokens"), tokens_out=Sum("output_tokens"), cost=Sum("cost_usd"))
        .order_by("-day")[:limit]
    )
    return [Day(row["day"], row["n"], row["tokens_in"], row["tokens_out"], row["cost"] or Decimal(0)) for row in found]
