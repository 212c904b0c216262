"""What agents were told, for the stats: how often, of what, and what they asked in vain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dock.contexts import links
from dock.contexts.stats_asked import Asked
from dock.contexts.stats_bars import Bar, drawn, percent
from memory import refs
from memory.stats import told
from memory.stats.spread import Spread

_SHOWN = 5
"""Memories, reasons and questions."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A memory, a reason or a question, and how many times there was one."""

    title: str
    url: str
    times: int


@dataclass(frozen=True, slots=True)
class ToldPart:
    """What agents were told; `read` is how many of the newest times were read where there are more, else 0."""

    asked: int
    answered: int
    share: str
    memories: int
    most: list[Counted]
    sure: list[Bar]
    reasons: list[Counted]
    unanswered: list[Counted]
    unanswered_times: int
    took: Spread | None
    read: int


def part(asked: Asked) -> ToldPart:
    """Build the panels. One query."""
    found = told.told(asked.project, asked.period)
    return ToldPart(
        asked=found.asked,
        answered=found.answered,
        share=percent(found.answered, found.asked),
        memories=found.memories,
        most=[Counted(one.title, refs.url(one.ref), one.times) for one in found.most[:_SHOWN]],
        sure=_sure(found.sure),
        reasons=[Counted(reason, "", n) for reason, n in found.reasons[:_SHOWN]],
        unanswered=[
            Counted(query, links.to("search", q=query, project=asked.owner), n)
            for query, n in found.unanswered[:_SHOWN]
        ],
        unanswered_times=sum(n for _, n in found.unanswered),
        took=found.took,
        read=told.MOST_READ if found.is_cut else 0,
    )


def _sure(counts: Mapping[str, int]) -> list[Bar]:
    """Keep the order of the words, from the surest on."""
    words = [(word, "", counts[word]) for word in told.WORDS if counts.get(word)]
    return drawn(words, total=sum(counts.values()))
