"""Signs of life of the background processes, which the doctor reads."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory.models import Marker

WATCHER = "watcher.alive"
WORKER = "worker.alive"

EVERY = timedelta(seconds=15)
LATE = timedelta(seconds=60)
"""A process that was silent for so long is not running."""


def beat(name: str, *, at: datetime) -> None:
    """Say that a process is alive; the marker's value is in seconds since 1970."""
    Marker.objects.update_or_create(name=name, defaults={"value": int(at.timestamp()), "updated_at": at})


def last(name: str) -> datetime | None:
    """Return the last sign of life, None when there never was one. One query."""
    value = Marker.objects.filter(name=name).values_list("value", flat=True).first()
    return None if value is None else datetime.fromtimestamp(value, UTC)
