"""How long to wait before a crashed process is started again."""

from __future__ import annotations

from dataclasses import dataclass

FIRST = 0.5
LONGEST = 30.0
LONG_LIFE = 60.0
"""Seconds after which a process counts as well again."""


@dataclass(slots=True)
class Backoff:
    """Doubles the wait with each short life."""

    _next: float = FIRST

    def after(self, life: float) -> float:
        """Return the seconds to wait after a life of so many seconds."""
        pause = FIRST if life >= LONG_LIFE else self._next
        self._next = min(pause * 2, LONGEST)
        return pause
