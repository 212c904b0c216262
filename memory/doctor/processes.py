"""Checks of the background processes, by their heartbeats."""

from __future__ import annotations

from datetime import datetime

from memory.doctor.check import Check
from memory.jobs import heartbeat

_PARTS = ((heartbeat.WATCHER, "watcher", "File watcher"), (heartbeat.WORKER, "worker", "Worker"))


def alive(*, at: datetime) -> list[Check]:
    """Tell which of them run. Two queries."""
    return [_check(marker, name, title, at) for marker, name, title in _PARTS]


def _check(marker: str, name: str, title: str, at: datetime) -> Check:
    last = heartbeat.last(marker)
    if last and at - last <= heartbeat.LATE:
        return Check(name, title, "ok", "It is running.")
    since = f"since {last:%Y-%m-%d %H:%M} UTC" if last else "and never was"
    return Check(name, title, "warn", f"It is not running {since}.", "Start MemDock with `memdock up`.")
