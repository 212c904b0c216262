"""When an entry's turn was over, at the latest."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

_UTC_DAYS = frozenset({"openclaw", "dsh"})
"""MemSearch's plugins for these file under the UTC day, with the local time of day."""


def deadline(platform: str, day: date, hhmm: str, zone: tzinfo) -> datetime | None:
    """Return the end of the minute that an entry names, which is when its turn was over; None for no time.

    `day` is the file's and `hhmm` the local time as written. Where the file is named after the UTC day, the local
    date is the one of the three around it that falls on that day.
    """
    try:
        clock = time.fromisoformat(hhmm).replace(second=59, microsecond=999_000)
        local = datetime.combine(day, clock, zone)
        if platform not in _UTC_DAYS:
            return local
        around = [local + timedelta(days=days) for days in (0, -1, 1)]
        return next((when for when in around if when.astimezone(UTC).date() == day), local)
    except (ValueError, OverflowError):
        return None
