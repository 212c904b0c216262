"""Journal time: local dates and HH:MM without a zone."""

from __future__ import annotations

from datetime import date, datetime, time

from django.utils import timezone


def local(day: date, hhmm: str) -> datetime:
    """Return the moment of a local date and HH:MM as written in a journal."""
    return timezone.make_aware(datetime.combine(day, time.fromisoformat(hhmm)))
