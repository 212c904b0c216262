"""What the page of numbers prints: what was written, by whom, and what agents were told of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from dock.contexts import stats_index, stats_told, stats_turns, stats_written
from dock.contexts.stats_asked import Asked
from dock.contexts.stats_bars import Bar
from dock.contexts.stats_chart import Chart
from dock.contexts.stats_index import IndexPart
from dock.contexts.stats_told import ToldPart
from dock.contexts.stats_turns import Pace, TurnPart
from dock.contexts.stats_written import Figure
from dock.forms.stats import PERIODS, Criteria
from memory.models import Project


@dataclass(frozen=True, slots=True)
class StatsPage:
    """The page; `project` is empty for all projects, `agents_since` is set where older entries were not looked at."""

    project: str
    words: str
    url: str
    all_url: str
    periods: list[tuple[str, str, bool]]
    views: list[tuple[str, str, bool]]
    is_empty: bool
    figures: list[Figure]
    chart: Chart | None
    is_by_agent: bool
    projects: list[Bar]
    agents: list[Bar]
    agents_since: date | None
    types: list[Bar]
    told: ToldPart
    turns: TurnPart
    paces: list[Pace]
    index: IndexPart


def stats(project: Project | None, criteria: Criteria, *, today: date) -> StatsPage:
    """Build the page. Twelve queries, over all projects fifteen."""
    asked = Asked(project, criteria, criteria.days(today))
    numbers = stats_written.count(asked)
    told, turns = stats_told.part(asked), stats_turns.part(asked)
    return StatsPage(
        project=asked.owner,
        words=_sentence(criteria),
        url=asked.here(),
        all_url=asked.here(period="all"),
        periods=[(_label(name), asked.here(period=name), name == criteria.period) for name in PERIODS],
        views=_views(asked),
        is_empty=criteria.period == "all" and numbers.is_empty and not told.asked,
        figures=stats_written.figures(asked, numbers, told),
        chart=stats_written.chart(asked, numbers),
        is_by_agent=criteria.is_by_agent,
        projects=stats_written.projects(asked),
        agents=stats_written.agents(asked, numbers),
        agents_since=numbers.agents_since,
        types=stats_written.types(asked, numbers),
        told=told,
        turns=turns,
        paces=stats_turns.paces(
            [
                ("Recall before a turn", told.took),
                ("Summary of a turn", turns.summary),
                ("End of a turn to its entry", turns.whole),
            ]
        ),
        index=stats_index.part(asked),
    )


def _views(asked: Asked) -> list[tuple[str, str, bool]]:
    is_by_agent = asked.criteria.is_by_agent
    return [
        ("Entries and memories", asked.here(by=""), not is_by_agent),
        ("Entries by agent", asked.here(by="agent"), is_by_agent),
    ]


def _label(period: str) -> str:
    return f"{period} days" if PERIODS[period] else "All time"


def _sentence(criteria: Criteria) -> str:
    return f"the last {_label(criteria.period)}" if PERIODS[criteria.period] else "all time"
