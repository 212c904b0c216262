"""What agents were told before their turns, how quickly, and how sure it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q

from memory.models import Injection, Project
from memory.recall import relevance
from memory.stats.period import Period
from memory.stats.spread import Spread, spread

MOST_READ = 500
"""Times that are read, the newest: what was told is in no index."""

UNANSWERED = frozenset({"Nothing was found.", "Nothing found is sure enough to be told."})
"""The reasons with which recall says that memory knows nothing about a question."""


WORDS = ("strong", "likely", "fair", "weak")
"""The words of relevance, from the surest on."""


@dataclass(frozen=True, slots=True)
class ToldMemory:
    """A memory that agents were told `times` times, under the title that it had last."""

    ref: str
    title: str
    times: int


@dataclass(frozen=True, slots=True)
class Told:
    """What became of the times that agents `asked`; `is_cut` when older ones of the period were not read.

    `sure` counts the memories told by word of relevance, `reasons` the times without any by why; `unanswered` are the
    questions about which nothing was known. Each is sorted, the most frequent first.
    """

    asked: int
    answered: int
    memories: int
    took: Spread | None
    sure: dict[str, int]
    reasons: list[tuple[str, int]]
    most: list[ToldMemory]
    unanswered: list[tuple[str, int]]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class _Time:
    query: str
    is_told: bool
    hits: list[dict[str, Any]]
    reason: str
    took_ms: float


def told(project: Project | None, period: Period) -> Told:
    """Sum up the newest times of a period. One query."""
    read = _times(project, period)
    asked = [one for one in read if one.query or one.is_told]  # the others are notes, and starts of sessions
    hits = [hit for one in asked for hit in one.hits]
    silent = [one for one in asked if not one.is_told]
    return Told(
        asked=len(asked),
        answered=len(asked) - len(silent),
        memories=len(hits),
        took=spread(one.took_ms for one in asked),
        sure=Counter(relevance.word(float(hit.get("relevance", 0))) for hit in hits),
        reasons=_ranked(one.reason for one in silent if one.reason),
        most=_most(hits),
        unanswered=_ranked(" ".join(one.query.split()) for one in silent if one.reason in UNANSWERED),
        is_cut=len(read) == MOST_READ,
    )


def _times(project: Project | None, period: Period) -> list[_Time]:
    """Read the newest times first; which these are is told by the index of sessions alone, without the long texts."""
    rows = Injection.objects.filter(**({"session__project": project} if project else {}), **period.moments("at"))
    newest = rows.order_by("-at", "-pk").values("pk")[:MOST_READ]
    is_told = ExpressionWrapper(~Q(text=""), output_field=BooleanField())
    found = Injection.objects.filter(pk__in=newest).annotate(is_told=is_told).order_by("-at", "-pk")
    return [_Time(*row) for row in found.values_list("query", "is_told", "hits", "reason", "took_ms")]


def _most(hits: Sequence[dict[str, Any]]) -> list[ToldMemory]:
    titles: dict[str, str] = {}
    for hit in hits:  # the newest first, whose title stays
        titles.setdefault(str(hit.get("ref", "")), str(hit.get("title", "")))
    ranked = _ranked(str(hit.get("ref", "")) for hit in hits)
    return [ToldMemory(ref, titles[ref].strip() or ref, times) for ref, times in ranked if ref]


def _ranked(names: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0]))
