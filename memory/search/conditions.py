"""Filters as a condition of the database."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from django.db import connection
from django.utils import timezone

from memory.projects import queries as projects
from memory.search.backends.base import Where
from memory.search.types import Filters

type _Part = tuple[str, list[object]]

_NOTHING: _Part = ("1 = 0", [])


def where(filters: Filters) -> Where:
    """Return the condition that a hit has to meet. One query when a project is named, by any of its names."""
    parts = [*_texts(filters), *_days(filters)]
    if filters.project:
        project = projects.find(filters.project)
        parts.append(("d.project_id = %s", [project.pk]) if project else _NOTHING)
    if filters.is_pinned:
        parts.append(("d.is_pinned = %s", [True]))
    return Where(" AND ".join(sql for sql, _ in parts), tuple(value for _, values in parts for value in values))


def _texts(filters: Filters) -> list[_Part]:
    wanted = {
        "kind": filters.kind.lower(),
        "type": filters.type.lower(),
        "platform": filters.platform.lower(),
        "session": filters.session,
    }
    return [(f"d.{column} = %s", [value.replace("\0", "")]) for column, value in wanted.items() if value]


def _days(filters: Filters) -> list[_Part]:
    parts: list[_Part] = []
    if filters.since:
        parts.append(('d."when" >= %s', [_moment(filters.since)]))
    if filters.until and filters.until < date.max:
        parts.append(('d."when" < %s', [_moment(filters.until + timedelta(days=1))]))
    return parts


def _moment(day: date) -> object:
    """The start of a local day as the database compares it."""
    try:
        moment = timezone.make_aware(datetime.combine(day, time.min))
        return connection.ops.adapt_datetimefield_value(moment)
    except (OverflowError, ValueError):  # the first days of the calendar have no UTC
        return connection.ops.adapt_datetimefield_value(datetime(1, 1, 2, tzinfo=UTC))
