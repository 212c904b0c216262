"""How busy agents are and when they last saved something, as far as this process has seen."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

QUIET = timedelta(minutes=10)
"""Time without a save after which an agent is reminded (Engram's)."""

_BUSY = 5
_MOST = 1_000

type Key = tuple[str, str]
"""Who calls, and in which project."""


@dataclass(slots=True)
class _Seen:
    started_at: datetime
    calls: int = 0
    saves: int = 0
    saved_at: datetime | None = None


class Activity:
    """Counts calls and saves by caller and project; the least recent are forgotten. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: OrderedDict[Key, _Seen] = OrderedDict()

    def called(self, key: Key, *, at: datetime) -> None:
        with self._lock:
            self._of(key, at).calls += 1

    def saved(self, key: Key, *, at: datetime) -> None:
        with self._lock:
            seen = self._of(key, at)
            seen.saves, seen.saved_at = seen.saves + 1, at

    def ended(self, key: Key) -> None:
        with self._lock:
            self._seen.pop(key, None)

    def nudge(self, key: Key, *, at: datetime) -> str:
        """Return a reminder to save, in Engram's words, or "" where none is due."""
        with self._lock:
            seen = self._of(key, at)
            quiet = at - (seen.saved_at or seen.started_at)
            if quiet < QUIET or (not seen.saves and seen.calls <= _BUSY):
                return ""
            minutes = int(quiet.total_seconds() // 60)
        return (
            f"\n\n⚠️ No mem_save calls for this project in {minutes} minutes. "
            "Did you make any decisions, fix bugs, or discover something worth persisting?"
        )

    def score(self, key: Key, *, at: datetime) -> str:
        """Return how many calls and saves there were, in Engram's words."""
        with self._lock:
            seen = self._of(key, at)
            calls, saves = seen.calls, seen.saves
        score = f"Session activity: {_counted(calls, 'tool call')}, {_counted(saves, 'save')}"
        if not saves and calls > _BUSY:
            score += " — high activity with no saves, consider persisting important decisions"
        return score

    def _of(self, key: Key, at: datetime) -> _Seen:
        seen = self._seen.setdefault(key, _Seen(started_at=at))
        self._seen.move_to_end(key)
        if len(self._seen) > _MOST:
            self._seen.popitem(last=False)
        return seen


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
