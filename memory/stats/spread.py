"""How durations are spread."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds of the middle one, of the one that 95 % do not exceed, and of the slowest, out of `count`."""

    count: int
    median: float
    p95: float
    slowest: float


def spread(values: Iterable[float]) -> Spread | None:
    """Return the spread of milliseconds by nearest rank, None without any."""
    ranked = sorted(values)
    if not ranked:
        return None
    return Spread(len(ranked), _rank(ranked, 0.5), _rank(ranked, 0.95), ranked[-1])


def _rank(ranked: list[float], share: float) -> float:
    return ranked[math.ceil(share * len(ranked)) - 1]
