"""How many summaries were made, and what they cost; a daily cap stops summaries, never captures."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from memory.capture.summarizers.base import Unavailable
from memory.configuration import memsearch
from memory.models import Capture, Project

CAP = "capture.daily_summaries"


class Day(NamedTuple):
    """Summaries of one local day; tokens and dollars are sums, an unknown price counts as nothing."""

    day: date
    summaries: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal


def check(capture: Capture, *, at: datetime) -> None:
    """Raise Unavailable when today's summaries of all projects have reached the cap; 0 means no cap. Two queries."""
    cap = memsearch.effective(capture.project).number(CAP)
    midnight = timezone.localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    if cap and Capture.objects.exclude(summarizer="").filter(written_at__gte=midnight).count() >= cap:
        raise Unavailable(f"the daily limit of {cap} summaries is reached")


def days(project: Project | None = None, *, limit: int = 30) -> list[Day]:
    """Return the last days with summaries, newest first. One query."""
    rows = Capture.objects.exclude(summarizer="").exclude(written_at=None)
    if project:
        rows = rows.filter(project=project)
    found = (
        rows.annotate(day=TruncDate("written_at"))
        .values("day")
        .annotate(n=Count("pk"), tokens_in=Sum("input_tokens"), tokens_out=Sum("output_tokens"), cost=Sum("cost_usd"))
        .order_by("-day")[:limit]
    )
    return [Day(row["day"], row["n"], row["tokens_in"], row["tokens_out"], row["cost"] or Decimal(0)) for row in found]
