"""What was written, for the stats: figures, the chart of days, and shares by project, agent and type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial

from dock.contexts import links, stats_chart
from dock.contexts.stats_asked import Asked
from dock.contexts.stats_bars import Bar, bars
from dock.contexts.stats_chart import Chart, Series
from dock.contexts.stats_told import ToldPart
from memory.skills import queries as skills
from memory.stats import written
from memory.stats.written import Pair

UNNAMED = "not named"
"""What a platform is called that no agent told."""
OTHERS = "others"

_APART = 3
"""Agents that the chart tells apart; the others are one more."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One large number, its list, and a few words about it."""

    name: str
    value: str
    url: str
    note: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was counted; days of `entries` and memories are those of the period."""

    entries: Mapping[date, int]
    entry_pair: Pair
    memories: Mapping[date, int]
    memory_pair: Pair
    types: Mapping[str, int]
    prompts: Pair
    sessions: Mapping[str, int]
    agents: Mapping[tuple[date, str], int]
    agents_since: date | None

    @property
    def is_empty(self) -> bool:
        return not (self.entry_pair.now or self.memory_pair.now or self.prompts.now or self.sessions)


def count(asked: Asked) -> Numbers:
    """Count everything. Five queries."""
    project, period = asked.project, asked.period
    entries = written.entries(project, period.with_before())
    memories = written.memories(project, period.with_before())
    days = {day: n for day, n in entries.items() if n and period.holds(day)}
    saved = {(day, kind): n for (day, kind), n in memories.items() if period.holds(day)}
    readable = written.readable(days)
    return Numbers(
        entries=days,
        entry_pair=_pair(days, entries),
        memories=_by_day(saved),
        memory_pair=_pair(saved, memories),
        types=_by_name(saved),
        prompts=written.prompts(project, period),
        sessions=written.sessions(project, period),
        agents=written.entries_by_agent(project, readable),
        agents_since=min(readable) if len(readable) < len(days) else None,
    )


def figures(asked: Asked, numbers: Numbers, told: ToldPart) -> list[Figure]:
    """Say how much there is. One query."""
    desk = skills.counts(asked.project)
    agents = sum(1 for platform in numbers.sessions if platform)
    return [
        _figure(asked, "Entries written", "journal-list", "entry", numbers.entry_pair),
        Figure(
            "Sessions",
            f"{sum(numbers.sessions.values()):,}",
            asked.listed("session-list", "session"),
            f"of {agents:,} agent{'' if agents == 1 else 's'}" if agents else "",
        ),
        _figure(asked, "Memories saved", "memory-list", "observation", numbers.memory_pair),
        _figure(asked, "Prompts", "prompt-list", "prompt", numbers.prompts),
        Figure(
            "Skills",
            f"{desk.all:,}",
            links.to("skill-list", project=asked.owner, state="all"),
            f"now, {desk.waiting:,} to review" if desk.waiting else "now, none to review",
        ),
        Figure(
            "Turns told something",
            told.share or "0",
            "#told",
            f"{told.answered:,} of {told.asked:,} turns" if told.asked else "no agent asked",
        ),
    ]


def chart(asked: Asked, numbers: Numbers) -> Chart | None:
    """Draw what was written, as entries and memories or as entries by agent."""
    series = _by_agent(asked, numbers) if asked.criteria.is_by_agent else _by_kind(asked, numbers)
    since = numbers.agents_since if asked.criteria.is_by_agent else None
    return stats_chart.build(series, since=since or asked.period.since, until=asked.period.until)


def projects(asked: Asked) -> list[Bar]:
    """Draw the entries of each project; within one there is nothing to compare. One query over all projects."""
    if asked.project:
        return []
    return bars(written.entries_by_project(asked.period), lambda name: asked.here(project=name), rest=OTHERS)


def agents(asked: Asked, numbers: Numbers) -> list[Bar]:
    """Draw the entries of each agent."""
    since = numbers.agents_since
    return bars(
        _named(_by_name(numbers.agents)),
        lambda name: "" if name == UNNAMED else asked.found("entry", since, platform=name),
        rest=OTHERS,
    )


def types(asked: Asked, numbers: Numbers) -> list[Bar]:
    """Draw the memories of each type."""
    return bars(numbers.types, lambda kind: asked.found("observation", type=kind), rest=OTHERS)


def _figure(asked: Asked, name: str, page: str, kind: str, pair: Pair) -> Figure:
    return Figure(name, f"{pair.now:,}", asked.listed(page, kind), _compared(asked, pair))


def _compared(asked: Asked, pair: Pair) -> str:
    if not asked.period.days:
        return ""
    before = f"the {asked.period.days} days before"
    more = pair.now - pair.before
    if not more:
        return f"as many as in {before}" if pair.now else f"nor any in {before}"
    return f"{abs(more):,} {'more' if more > 0 else 'fewer'} than in {before}"


def _by_kind(asked: Asked, numbers: Numbers) -> list[Series]:
    return [
        Series("entries", 4, numbers.entries, asked.day),
        Series("memories", 3, numbers.memories, partial(asked.found, "observation")),
    ]


def _by_agent(asked: Asked, numbers: Numbers) -> list[Series]:
    """Stack the agents with most entries, and all others on top of them."""
    ranked = sorted(_by_name(numbers.agents).items(), key=lambda pair: (-pair[1], pair[0]))
    apart = [platform for platform, _ in ranked[:_APART]]
    found = [_agent(asked, numbers, platform, 4 - place) for place, platform in enumerate(apart)]
    if len(ranked) > _APART:
        rest = {pair: n for pair, n in numbers.agents.items() if pair[1] not in apart}
        found.append(Series(OTHERS, 1, _by_day(rest), lambda since, until: ""))
    return found


def _agent(asked: Asked, numbers: Numbers, platform: str, level: int) -> Series:
    days = _by_day({pair: n for pair, n in numbers.agents.items() if pair[1] == platform})
    if not platform:
        return Series(UNNAMED, level, days, lambda since, until: "")
    return Series(platform, level, days, partial(asked.day, platform=platform))


def _named(counts: Mapping[str, int]) -> dict[str, int]:
    return {platform or UNNAMED: n for platform, n in counts.items()}


def _pair[Key](now: Mapping[Key, int], both: Mapping[Key, int]) -> Pair:
    found = sum(now.values())
    return Pair(found, sum(both.values()) - found)


def _by_day(counts: Mapping[tuple[date, str], int]) -> Counter[date]:
    found: Counter[date] = Counter()
    for (day, _), n in counts.items():
        found[day] += n
    return found


def _by_name(counts: Mapping[tuple[date, str], int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (_, name), n in counts.items():
        found[name] += n
    return found
