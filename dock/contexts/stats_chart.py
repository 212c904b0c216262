"""Stacked columns over time: the geometry of the drawing, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import dateformat

HEIGHT = 96
_STEP, _WIDTH, _LEFT = 10, 6, 2
_GAP = 1
_LINES = 3
"""Lines above zero."""
_LABELS = 5
_DAILY, _WEEKLY = 92, 92 * 7
"""Days up to which a column is a day, and up to which it is a week; then it is a month."""
_ROWS = 31
"""Days up to which a row of the table is a day."""
_LONGEST = timedelta(days=3650)
_DAY = timedelta(days=1)
_NICE = (1, 2, 3, 4, 5, 8)


@dataclass(frozen=True, slots=True)
class Series:
    """What is stacked, from the bottom; `level` (4 to 1) is its tint, `url` the list of a span of days."""

    name: str
    level: int
    days: Mapping[date, int]
    url: Callable[[date, date], str]


@dataclass(frozen=True, slots=True)
class Block:
    """One rectangle, in units of the drawing."""

    level: int
    x: int
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class Column:
    """One span of days as it is drawn; `words` are shown to who points at it."""

    words: str
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class Number:
    """One number of the table; without an address there is nothing to list."""

    value: int
    url: str


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table."""

    label: str
    numbers: list[Number]


@dataclass(frozen=True, slots=True)
class Chart:
    """The drawing is `width` by HEIGHT; `marks` are its numbers from the top, `ticks` its dates, `lines` newest first."""

    label: str
    unit: str
    width: int
    marks: list[int]
    rules: list[int]
    ticks: list[str]
    series: list[Series]
    columns: list[Column]
    lines: list[Line]


type _Span = tuple[date, date]


def build(series: Sequence[Series], *, since: date | None, until: date) -> Chart | None:
    """Draw the days up to `until`, from `since` or else from the first with a number; None without any number.

    Ten years at most.
    """
    floor = max(since or date.min, until - _LONGEST)
    days = [day for one in series for day, n in one.days.items() if n and floor <= day <= until]
    if not days:
        return None
    first = since or min(days)
    unit = _unit((until - first).days + 1)
    spans = list(_spans(first, until, unit))
    counts = [_summed(one.days, spans) for one in series]
    top = _top(max(sum(stack) for stack in zip(*counts, strict=True)))
    return Chart(
        label=f"{_names(series)} a {unit}, {_dated(first)} to {_dated(until)}; the table below has the numbers",
        unit=_line_unit(unit, len(spans)),
        width=_STEP * len(spans),
        marks=[top * line // _LINES for line in range(_LINES, -1, -1)],
        rules=[HEIGHT * line // _LINES for line in range(_LINES + 1)],
        ticks=[_tick(spans[place][0], unit) for place in _places(len(spans))],
        series=list(series),
        columns=[_column(place, span, series, counts, top, unit) for place, span in enumerate(spans)],
        lines=list(_lines(series, first, until, unit)),
    )


def _unit(days: int) -> str:
    return "day" if days <= _DAILY else "week" if days <= _WEEKLY else "month"


def _spans(first: date, until: date, unit: str) -> Iterator[_Span]:
    """Cut days into spans; weeks begin on Monday, so that the first and the last may be shorter."""
    begin = first
    while begin <= until:
        end = min(_end(begin, unit), until)
        yield begin, end
        begin = end + _DAY


def _end(day: date, unit: str) -> date:
    if unit == "day":
        return day
    if unit == "week":
        return day + (6 - day.weekday()) * _DAY
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1) - _DAY


def _summed(days: Mapping[date, int], spans: Sequence[_Span]) -> list[int]:
    found = [0] * len(spans)
    begins = {
        begin + n * _DAY: place for place, (begin, end) in enumerate(spans) for n in range((end - begin).days + 1)
    }
    for day, n in days.items():
        if day in begins:
            found[begins[day]] += n
    return found


def _top(most: int) -> int:
    """Return the smallest pleasant number that holds `most`, in equal steps."""
    size = 1
    while True:
        for nice in _NICE:
            if _LINES * nice * size >= most:
                return _LINES * nice * size
        size *= 10


def _places(count: int) -> list[int]:
    """Choose where dates stand: at both ends and evenly between."""
    labels = next((n for n in (_LABELS, 4, 3) if (count - 1) % (n - 1) == 0), _LABELS)
    labels = min(labels, count)
    return [round(n * (count - 1) / max(1, labels - 1)) for n in range(labels)]


def _column(place: int, span: _Span, series: Sequence[Series], counts: list[list[int]], top: int, unit: str) -> Column:
    blocks, below = [], 0
    for one, numbers in zip(series, counts, strict=True):
        if n := numbers[place]:
            # A thin gap keeps neighbours apart, but what is there is seen.
            height = max(HEIGHT * n / top - (_GAP if below else 0), 0.5)
            y = HEIGHT - HEIGHT * (below + n) / top
            blocks.append(Block(one.level, place * _STEP + _LEFT, f"{y:.2f}", f"{height:.2f}"))
            below += n
    words = ", ".join(f"{numbers[place]:,} {one.name}" for one, numbers in zip(series, counts, strict=True))
    return Column(f"{_worded(span, unit)}: {words}", blocks)


def _line_unit(unit: str, columns: int) -> str:
    """Return what a row of the table is: many days are told by week."""
    return "week" if unit == "day" and columns > _ROWS else unit


def _lines(series: Sequence[Series], first: date, until: date, unit: str) -> Iterator[Line]:
    spans = list(_spans(first, until, _line_unit(unit, (until - first).days + 1)))
    rows = zip(spans, *(_summed(one.days, spans) for one in series), strict=True)
    for span, *numbers in reversed(list(rows)):
        if any(numbers):
            found = zip(series, numbers, strict=True)
            yield Line(_worded(span, unit), [Number(n, one.url(*span) if n else "") for one, n in found])


def _names(series: Sequence[Series]) -> str:
    words = [one.name for one in series]
    joined = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return joined[:1].upper() + joined[1:]


def _worded(span: _Span, unit: str) -> str:
    begin, end = span
    if unit == "month":
        return dateformat.format(begin, "F Y")
    return _dated(begin) if begin == end else f"{_dated(begin)} to {_dated(end)}"


def _dated(day: date) -> str:
    return dateformat.format(day, "j M Y")


def _tick(day: date, unit: str) -> str:
    return dateformat.format(day, "M Y" if unit == "month" else "j M")
