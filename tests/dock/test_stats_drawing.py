"""How the stats draw numbers: columns of days, bars of shares, and durations in words."""

from __future__ import annotations

from datetime import date, timedelta

from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from dock.contexts.stats_bars import bars, percent
from dock.contexts.stats_chart import HEIGHT, Series, build
from dock.contexts.stats_turns import took
from memory.stats.spread import spread
from memory.stats.written import MOST_READ, readable


def ago(days: int) -> date:
    return timezone.localdate() - timedelta(days=days)


def test_days_without_end_are_cut_into_weeks_and_months() -> None:
    first = date(2020, 1, 1)
    series = Series("entries", 4, {first: 3}, lambda since, until: f"{since}/{until}")
    found = {n: build([series], since=None, until=first + timedelta(days=n)) for n in (0, 20, 200, 2_000, 200_000)}
    assert [chart and chart.unit for chart in found.values()] == ["day", "day", "week", "month", None]
    late = build([series], since=None, until=first + timedelta(days=3_000))
    assert late
    assert len(late.columns) == 99
    assert [line.numbers[0].url for line in late.lines] == ["2020-01-01/2020-01-31"]


@given(
    st.dictionaries(st.dates(date(2024, 1, 1), date(2026, 1, 1)), st.integers(1, 10**6), min_size=1, max_size=60),
    st.dictionaries(st.dates(date(2024, 1, 1), date(2026, 1, 1)), st.integers(0, 10**6), max_size=60),
)
def test_every_number_is_drawn_inside_the_chart_and_told_once(one: dict[date, int], two: dict[date, int]) -> None:
    both = [Series("a", 4, one, lambda *_: "x"), Series("b", 3, two, lambda *_: "x")]
    chart = build(both, since=None, until=date(2026, 1, 1))
    assert chart
    for place, days in enumerate((one, two)):
        assert sum(line.numbers[place].value for line in chart.lines) == sum(days.values())
    blocks = [block for column in chart.columns for block in column.blocks]
    assert all(0 <= float(block.y) <= HEIGHT and 0 < float(block.height) <= HEIGHT for block in blocks)
    assert all(block.x + 6 <= chart.width for block in blocks)
    assert chart.marks[-1] == 0
    assert len({high - low for high, low in zip(chart.marks, chart.marks[1:], strict=False)}) == 1


@given(st.lists(st.floats(0, 10**9), min_size=1))
def test_a_spread_is_ordered_and_made_of_what_was_measured(values: list[float]) -> None:
    found = spread(values)
    assert found
    assert found.median <= found.p95 <= found.slowest == max(values)
    assert {found.median, found.p95} <= set(values)


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.integers(0, 10**6), max_size=30))
def test_bars_count_everything_once(counts: dict[str, int]) -> None:
    found = bars(counts, lambda name: name, rest="others")
    assert sum(row.value for row in found) == sum(counts.values())
    assert all(0 < float(row.width) <= 100 for row in found)


def test_a_share_is_not_called_all_or_nothing_when_it_is_not() -> None:
    assert [percent(*pair) for pair in ((1, 1000), (999, 1000), (0, 5), (5, 5), (0, 0))] == [
        "1 %",
        "99 %",
        "0 %",
        "100 %",
        "",
    ]


def test_durations_are_said_as_people_say_them() -> None:
    found = [took(ms) for ms in (0.2, 12.4, 6_200, 71_000, 840_000, 10_800_000)]
    assert found == ["under 1 ms", "12 ms", "6.2 s", "71 s", "14 min", "3 h"]


def test_agents_are_looked_up_for_the_newest_days_only() -> None:
    days = {ago(n): MOST_READ // 2 for n in range(5)}
    assert readable(days) == {ago(0), ago(1)}
    assert readable({ago(3): MOST_READ * 2, ago(4): 1}) == {ago(3)}
    assert readable({}) == set()
