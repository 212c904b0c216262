"""Captured turns, for the stats: where they are, what their summaries cost, and how long things take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from dock.contexts import links
from dock.contexts.stats_asked import Asked
from dock.contexts.stats_bars import Bar, bars
from memory.capture import queries
from memory.capture.usage import Day
from memory.models.capture import CaptureState
from memory.stats import turns
from memory.stats.spread import Spread

DAYS = 31
"""Days with summaries that are listed, the newest."""

_STATES: dict[str, str] = {
    "written": CaptureState.WRITTEN,
    "queued": CaptureState.QUEUED,
    "being summarised": CaptureState.SUMMARISING,
    "no summary": CaptureState.UNAVAILABLE,
    "skipped": CaptureState.SKIPPED,
}


@dataclass(frozen=True, slots=True)
class CostRow:
    """The summaries of one day, or of all days with None; without a cost none is known."""

    day: date | None
    summaries: int
    tokens: int
    detail: str
    cost: str


@dataclass(frozen=True, slots=True)
class TurnPart:
    """Captured turns by state now, and summaries by day; `read` is how many turns were read where there are more."""

    states: list[Bar]
    total: CostRow
    days: list[CostRow]
    url: str
    summary: Spread | None
    whole: Spread | None
    read: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How long one thing takes, in words, and of how many that is known."""

    what: str
    median: str
    p95: str
    slowest: str
    count: int


def part(asked: Asked) -> TurnPart:
    """Build the panels. Four queries."""
    found, counts = turns.turns(asked.project, asked.period), queries.counts(asked.project)
    return TurnPart(
        states=bars(
            {word: counts[state] for word, state in _STATES.items()},
            lambda word: links.to("capture-list", project=asked.owner, state=str(_STATES[word])),
        ),
        total=_total(found.days),
        days=[_row(one) for one in found.days[:DAYS]],
        url=links.to("capture-list", project=asked.owner, state=str(CaptureState.WRITTEN)),
        summary=found.summary,
        whole=found.whole,
        read=turns.MOST_READ if found.is_cut else 0,
    )


def paces(rows: list[tuple[str, Spread | None]]) -> list[Pace]:
    """Put durations into words; what is not known is left out."""
    return [Pace(what, took(one.median), took(one.p95), took(one.slowest), one.count) for what, one in rows if one]


def took(ms: float) -> str:
    """Write a duration as people say it: under 1 ms, 12 ms, 6.2 s, 71 s, 14 min, 3 h."""
    seconds = ms / 1000
    if ms < 1:
        return "under 1 ms"
    if ms < 1_000:
        return f"{ms:,.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7_200 else f"{seconds / 3600:,.0f} h"


def _total(days: list[Day]) -> CostRow:
    cost = sum((one.cost_usd for one in days), Decimal(0))
    read, written = sum(one.input_tokens for one in days), sum(one.output_tokens for one in days)
    return CostRow(None, sum(one.summaries for one in days), read + written, _detail(read, written), _dollars(cost))


def _row(one: Day) -> CostRow:
    tokens = one.input_tokens + one.output_tokens
    detail = _detail(one.input_tokens, one.output_tokens)
    return CostRow(one.day, one.summaries, tokens, detail, _dollars(one.cost_usd))


def _detail(read: int, written: int) -> str:
    return f"{read:,} in, {written:,} out"


def _dollars(amount: Decimal) -> str:
    if not amount:
        return ""
    return f"${amount:,.2f}" if amount >= Decimal("0.01") else f"${amount.normalize():f}"
