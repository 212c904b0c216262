"""The heat map, as a pure layout of days."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dock.contexts import heat
from dock.contexts.heat import OUT, WEEKS, Cell, Heat
from memory.journal.queries import DayCount

UNTIL = date(2026, 1, 15)  # a Thursday


def build(*days: DayCount, until: date = UNTIL, current: date | None = None) -> Heat:
    return heat.build(list(days), until=until, current=current, address=lambda day: f"/{day.isoformat()}/")


def linked(drawn: Heat) -> list[Cell]:
    return [cell for row in drawn.rows for cell in row.cells if cell.url]


def test_has_seven_rows_of_53_weeks() -> None:
    drawn = build()
    assert [row.label for row in drawn.rows] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert {len(row.cells) for row in drawn.rows} == {WEEKS} == {len(drawn.months)}


def test_puts_a_day_into_the_row_of_its_weekday_and_the_last_day_into_the_last_week() -> None:
    drawn = build(DayCount(date(2026, 1, 14), 2), DayCount(UNTIL, 9))
    assert drawn.rows[2].cells[-1].url == "/2026-01-14/"
    assert drawn.rows[3].cells[-1].label == "15 Jan 2026: 9 entries"


def test_leaves_out_the_days_after_the_last_one() -> None:
    assert [row.cells[-1].level for row in build().rows] == ["0", "0", "0", "0", OUT, OUT, OUT]


def test_says_one_entry_and_no_entries() -> None:
    drawn = build(DayCount(date(2026, 1, 13), 1), DayCount(date(2026, 1, 14), 0))
    assert [cell.label for cell in linked(drawn)] == ["13 Jan 2026: 1 entry", "14 Jan 2026: no entries"]


def test_has_one_tab_stop_at_the_current_day() -> None:
    drawn = build(DayCount(date(2025, 6, 2), 1), DayCount(UNTIL, 1), current=date(2025, 6, 2))
    assert [(cell.is_tab_stop, cell.is_current) for cell in linked(drawn)] == [(True, True), (False, False)]


def test_has_its_tab_stop_at_the_last_day_when_the_current_one_is_elsewhere() -> None:
    drawn = build(DayCount(date(2025, 6, 2), 1), DayCount(UNTIL, 1), current=date(2020, 1, 1))
    assert [cell.url for cell in linked(drawn) if cell.is_tab_stop] == ["/2026-01-15/"]


def test_names_each_month_over_its_first_whole_week() -> None:
    named = [(week, name) for week, name in enumerate(build().months) if name]
    assert named[:3] == [(0, "Jan"), (3, "Feb"), (7, "Mar")]
    assert len(named) == 13


def test_grades_by_quarters_of_the_days_with_entries() -> None:
    assert heat.levels([1, 2, 3, 4, 0]) == [1, 2, 3, 4, 0]
    assert heat.levels([1, 1, 1, 9]) == [1, 1, 1, 4]
    assert heat.levels([5]) == [1]
    assert heat.levels([]) == []


@given(st.lists(st.integers(0, 10_000), max_size=400))
def test_grades_more_entries_never_lower(counts: list[int]) -> None:
    levels = heat.levels(counts)
    assert all((level == 0) == (count == 0) and 0 <= level <= 4 for count, level in zip(counts, levels, strict=True))
    in_order = [level for _, level in sorted(zip(counts, levels, strict=True))]
    assert in_order == sorted(in_order)


@given(days=st.lists(st.dates(), min_size=2, max_size=2).map(sorted))
def test_shows_any_day_in_the_map_that_is_its_window(days: list[date]) -> None:
    day, end = days
    until = heat.window(day, end=end)
    assert heat.since(until) <= day <= until <= end
    assert len(linked(build(DayCount(day, 3), until=until))) == 1


@given(until=st.dates(min_value=date(1900, 1, 1), max_value=date(2200, 1, 1)))
def test_maps_follow_one_another_without_a_gap(until: date) -> None:
    before = heat.earlier(until)
    assert before + timedelta(days=1) == heat.since(until)
    assert heat.later(before, end=until) == until
