"""The heat map: entries a day over 53 weeks, as rows of weekdays and columns of weeks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils import dateformat

from memory.journal.queries import DayCount

WEEKS = 53
OUT = "out"
"""The level of a square beside the calendar."""

_DAYS = WEEKS * 7
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_SHOWN_WEEKDAYS = {"Mon", "Wed", "Fri", "Sun"}
_LABEL_WEEKS = 2
"""Weeks that the name of a month is wide."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One day: `level` is 0 to 4 or OUT; without an address there is no journal."""

    level: str
    url: str = ""
    label: str = ""
    is_current: bool = False
    is_tab_stop: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One weekday through all weeks."""

    label: str
    is_shown: bool
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Heat:
    """The whole map; `months` holds a name, or nothing, for each week."""

    label: str
    months: list[str]
    rows: list[Row]
    earlier_url: str = ""
    later_url: str = ""


def since(until: date) -> date:
    """Return the Monday on which the map that ends in the week of `until` begins."""
    return date.fromordinal(max(1, _first(until)))


def window(day: date, *, end: date) -> date:
    """Return the last day of the map that holds `day`: `end`, or the Sunday before a later map begins."""
    behind = max(0, _first(end) - day.toordinal() + _DAYS - 1) // _DAYS
    return date.fromordinal(max(1, _first(end) - 1 - (behind - 1) * _DAYS)) if behind else end


def earlier(until: date) -> date:
    """Return the last day of the map before."""
    return date.fromordinal(max(1, _first(until) - 1))


def later(until: date, *, end: date) -> date:
    """Return the last day of the map after, at most `end`."""
    return date.fromordinal(min(end.toordinal(), _first(until) + 2 * _DAYS - 1))


def levels(counts: Sequence[int]) -> list[int]:
    """Grade counts into 1 to 4 by the share of the others that are smaller; 0 stays 0."""
    ordered = sorted(count for count in counts if count)
    return [1 + 4 * bisect_left(ordered, count) // len(ordered) if count else 0 for count in counts]


def build(
    days: Sequence[DayCount],
    *,
    until: date,
    current: date | None,
    address: Callable[[date], str],
    earlier_url: str = "",
    later_url: str = "",
) -> Heat:
    """Lay out the days with journals; pure. `address` gives the page of a day."""
    graded = dict(zip((one.date for one in days), levels([one.entries for one in days]), strict=True))
    stop = current if current in graded else max(graded, default=None)
    filled = {
        one.date.toordinal(): Cell(
            level=str(graded[one.date]),
            url=address(one.date),
            label=_label(one),
            is_current=one.date == current,
            is_tab_stop=one.date == stop,
        )
        for one in days
    }
    return Heat(
        label=f"Entries per day, {WEEKS} weeks to {dateformat.format(until, 'j F Y')}",
        months=_months(until),
        rows=[_row(weekday, filled, until) for weekday in range(7)],
        earlier_url=earlier_url,
        later_url=later_url,
    )


def _first(until: date) -> int:
    """Return the ordinal of the map's first Monday, which may lie before the calendar begins."""
    return until.toordinal() - until.weekday() - (WEEKS - 1) * 7


def _row(weekday: int, filled: dict[int, Cell], until: date) -> Row:
    ordinals = range(_first(until) + weekday, _first(until) + _DAYS, 7)
    blank, out = Cell("0"), Cell(OUT)
    cells = [filled.get(one, blank if 1 <= one <= until.toordinal() else out) for one in ordinals]
    return Row(_WEEKDAYS[weekday], _WEEKDAYS[weekday] in _SHOWN_WEEKDAYS, cells)


def _months(until: date) -> list[str]:
    """Name each month over the first week that begins in it; a name without room is left out."""
    mondays = [date.fromordinal(max(1, one)) for one in range(_first(until), _first(until) + _DAYS, 7)]
    names = [dateformat.format(monday, "M") for monday in mondays]
    starts = [week for week, name in enumerate(names) if week == 0 or name != names[week - 1]]
    if len(starts) > 1 and starts[1] < _LABEL_WEEKS:
        starts = starts[1:]
    return [name if week in starts else "" for week, name in enumerate(names)]


def _label(day: DayCount) -> str:
    words = {0: "no entries", 1: "1 entry"}.get(day.entries, f"{day.entries:,} entries")
    return f"{dateformat.format(day.date, 'j M Y')}: {words}"
