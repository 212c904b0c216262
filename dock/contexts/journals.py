"""What the page of journals prints: the heat map, the way to other days, and one day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Max, Min, Q, Sum
from django.utils import dateformat, timezone

from dock.contexts import day as days
from dock.contexts import heat, links
from dock.contexts.day import DayView
from dock.contexts.heat import Heat
from dock.forms.journals import Criteria
from memory.journal import queries
from memory.models import Project

_PHONE = timedelta(weeks=13)
"""What of the map surely fits on a phone, which shows its end only."""


@dataclass(frozen=True, slots=True)
class DayLink:
    """The way to another day."""

    date: date
    url: str


@dataclass(frozen=True, slots=True)
class JournalPage:
    """The page; `title` is empty for the newest day, and without any journal there is neither a map nor a day."""

    title: str
    summary: str
    project: str
    heat: Heat | None
    day: DayView | None
    previous: DayLink | None
    next: DayLink | None


@dataclass(frozen=True, slots=True)
class _Totals:
    entries: int
    days: int
    first: date | None
    last: date | None


def newest(project: Project | None, criteria: Criteria) -> JournalPage:
    """Build the page of the newest day with a journal. Eight queries, one without journals."""
    totals = _totals(project)
    return _page("", project, totals.last, totals, criteria)


def of_day(project: Project | None, day: date, criteria: Criteria) -> JournalPage:
    """Build the page of one day, with or without journals. At most eight queries."""
    return _page(dateformat.format(day, "j F Y"), project, day, _totals(project), criteria)


def _page(title: str, project: Project | None, day: date | None, totals: _Totals, criteria: Criteria) -> JournalPage:
    previous, following = queries.neighbours(project, day) if day else (None, None)
    return JournalPage(
        title=title,
        summary=_summary(totals),
        project=project.name if project else "",
        heat=_heat(project, day, totals, criteria) if day else None,
        day=days.view(project, day, criteria, now=timezone.now()) if day else None,
        previous=_link(project, previous),
        next=_link(project, following),
    )


def _totals(project: Project | None) -> _Totals:
    """Count over day files, not over entries. One query."""
    found = queries.journals(project).aggregate(
        entries=Sum("entry_count", default=0),
        days=Count("date", filter=Q(entry_count__gt=0), distinct=True),
        first=Min("date"),
        last=Max("date"),
    )
    return _Totals(**found)


def _summary(totals: _Totals) -> str:
    entries = f"{totals.entries:,} {'entry' if totals.entries == 1 else 'entries'}"
    return f"{entries} on {totals.days:,} {'day' if totals.days == 1 else 'days'}"


def _link(project: Project | None, day: date | None) -> DayLink | None:
    return DayLink(day, _address(project, day)) if day else None


def _address(project: Project | None, day: date, **query: object) -> str:
    return links.to("journal-day", day, project=project.name if project else "", **query)


def _heat(project: Project | None, day: date, totals: _Totals, criteria: Criteria) -> Heat:
    end = _end(totals)
    until = criteria.until or heat.window(day, end=end)
    first = heat.since(until)
    has_earlier = totals.first is not None and totals.first < first
    return heat.build(
        queries.days(project, since=first, until=until),
        until=until,
        current=day,
        address=lambda one: _address(project, one),
        earlier_url=_address(project, day, until=heat.earlier(until)) if has_earlier else "",
        later_url=_address(project, day, until=heat.later(until, end=end)) if until < end else "",
    )


def _end(totals: _Totals) -> date:
    """Return the last day of the newest map: today, unless nothing was written for so long that it would be empty."""
    today = timezone.localdate()
    last = totals.last or today
    return today if timedelta(0) <= today - last < _PHONE else last
