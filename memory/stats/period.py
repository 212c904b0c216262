"""The days that numbers are asked for, and the local day of a moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import TruncDate
from django.db.models.sql.compiler import SQLCompiler
from django.utils import timezone

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """The local days up to and with `until`: `days` of them, or all there are, later ones too, with None."""

    until: date
    days: int | None = None

    @property
    def since(self) -> date | None:
        return self.until - (self.days - 1) * _DAY if self.days else None

    def with_before(self) -> Period:
        """Return this period and the equally long one before it."""
        return Period(self.until, self.days and 2 * self.days)

    def holds(self, day: date) -> bool:
        return self.since is None or self.since <= day <= self.until

    def dates(self, field: str) -> dict[str, Any]:
        """Return the condition on a date field."""
        return {f"{field}__range": (self.since, self.until)} if self.since else {}

    def moments(self, field: str) -> dict[str, Any]:
        """Return the condition on a datetime field."""
        if not self.since:
            return {}
        return {f"{field}__gte": _midnight(self.since), f"{field}__lt": _midnight(self.until + _DAY)}


class LocalDay(TruncDate):
    """The local day of a moment; on SQLite by its own function, for Django's Python one takes ten times as long.

    SQLite's `localtime` is the zone of the process, which Django sets to TIME_ZONE.
    """

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> tuple[str, Any]:
        sql, parameters = compiler.compile(self.lhs)
        return f"date({sql}, 'localtime')", parameters


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))
