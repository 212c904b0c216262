"""The time above an entry, and the day of its file, as a moment."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.transcripts.moments import deadline

DAY = date(2026, 1, 9)
SHANGHAI = timezone(timedelta(hours=8))
HAWAII = timezone(timedelta(hours=-10))


@pytest.mark.parametrize("platform", ["claude-code", "codex", "opencode"])
def test_most_agents_file_under_the_local_day(platform: str) -> None:
    assert deadline(platform, DAY, "07:30", SHANGHAI) == datetime(2026, 1, 8, 23, 30, 59, 999_000, UTC)


@pytest.mark.parametrize("platform", ["dsh", "openclaw"])
@pytest.mark.parametrize(
    ("zone", "hhmm", "moment"),
    [
        (SHANGHAI, "07:30", datetime(2026, 1, 9, 23, 30, 59, 999_000, UTC)),  # the local day is already the next one
        (SHANGHAI, "08:00", datetime(2026, 1, 9, 0, 0, 59, 999_000, UTC)),
        (HAWAII, "23:00", datetime(2026, 1, 9, 9, 0, 59, 999_000, UTC)),  # the local day is still the one before
        (HAWAII, "13:00", datetime(2026, 1, 9, 23, 0, 59, 999_000, UTC)),
        (UTC, "12:00", datetime(2026, 1, 9, 12, 0, 59, 999_000, UTC)),
    ],
)
def test_some_agents_file_under_the_day_in_utc(platform: str, zone: tzinfo, hhmm: str, moment: datetime) -> None:
    assert deadline(platform, DAY, hhmm, zone) == moment


@given(
    ended=st.integers(10**9, 4 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    minutes=st.integers(-14 * 60, 14 * 60),
    platform=st.sampled_from(["dsh", "openclaw", "codex"]),
)
def test_a_turn_is_over_within_the_minute_that_its_entry_names(ended: datetime, minutes: int, platform: str) -> None:
    local = ended.astimezone(timezone(timedelta(minutes=minutes)))
    day = local.date() if platform == "codex" else ended.date()
    end = deadline(platform, day, local.strftime("%H:%M"), timezone(timedelta(minutes=minutes)))
    assert end is not None
    assert timedelta(0) <= end - ended <= timedelta(minutes=1)


@pytest.mark.parametrize("hhmm", ["", "25:00", "noon", "1e9:00"])
def test_a_time_that_is_none_gives_no_moment(hhmm: str) -> None:
    assert deadline("codex", DAY, hhmm, UTC) is None


def test_an_hour_that_the_clock_skips_is_still_a_moment() -> None:
    assert deadline("codex", date(2026, 3, 29), "02:30", ZoneInfo("Europe/Berlin")) is not None


def test_the_first_and_the_last_day_give_no_error() -> None:
    assert [deadline("dsh", day, "00:00", SHANGHAI) for day in (date.min, date.max)] == [None, None]
