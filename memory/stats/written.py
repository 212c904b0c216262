"""What was written: entries, memories, prompts and sessions of a period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, Q, Sum

from memory.journal import queries as journals
from memory.models import Entry, Journal, Observation, Project, Prompt, Session
from memory.stats.period import LocalDay, Period

MOST_READ = 8_000
"""Entries that are read to tell whose they are: agents are in no index."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A number of a period, and of the equally long one before; 0 where there is none before."""

    now: int
    before: int


def entries(project: Project | None, period: Period) -> dict[date, int]:
    """Count the entries of each day with a journal. One query over day files, not over entries."""
    since, until = (period.since, period.until) if period.since else (date.min, date.max)
    return {one.date: one.entries for one in journals.days(project, since=since, until=until)}


def entries_by_project(period: Period) -> dict[str, int]:
    """Count the entries of each project. One query over day files."""
    rows = Journal.objects.filter(**period.dates("date")).order_by().values_list("project__name")
    return dict(rows.annotate(n=Sum("entry_count")))


def readable(days: Mapping[date, int]) -> set[date]:
    """Return the newest of the days whose entries are few enough to be read, at least one."""
    kept: set[date] = set()
    room = MOST_READ
    for day in sorted(days, reverse=True):
        room -= days[day]
        if room < 0 and kept:
            break
        kept.add(day)
    return kept


def entries_by_agent(project: Project | None, days: set[date]) -> dict[tuple[date, str], int]:
    """Count the entries of each day by platform, over the span of these days. One query, which reads the entries."""
    if not days:
        return {}
    span = (min(days), max(days))
    # By project there is an index of entries; over all projects the one of day files leads to them.
    wanted: dict[str, Any] = {"project": project, "date__range": span} if project else {"journal__date__range": span}
    rows = Entry.objects.filter(**wanted).order_by().values_list("date", "platform").annotate(n=Count("pk"))
    return {(day, platform): n for day, platform, n in rows}


def memories(project: Project | None, period: Period) -> dict[tuple[date, str], int]:
    """Count the memories that were saved on each day and are not deleted, by type. One query."""
    rows = Observation.objects.live().filter(**_of(project), **period.moments("created_at")).order_by()
    found = rows.annotate(day=LocalDay("created_at")).values_list("day", "type").annotate(n=Count("pk"))
    return {(day, kind): n for day, kind, n in found}


def prompts(project: Project | None, period: Period) -> Pair:
    """Count prompts. One query."""
    rows = Prompt.objects.filter(**_of(project), **period.with_before().moments("created_at"))
    counted = rows.aggregate(all=Count("pk"), now=Count("pk", filter=Q(**period.moments("created_at"))))
    return Pair(counted["now"], counted["all"] - counted["now"])


def sessions(project: Project | None, period: Period) -> dict[str, int]:
    """Count the sessions that were active last in a period, by platform. One query."""
    rows = Session.objects.filter(**_of(project), **period.moments("last_activity_at")).order_by()
    return dict(rows.values_list("platform").annotate(n=Count("pk")))


def _of(project: Project | None) -> dict[str, Any]:
    return {"project": project} if project else {}
