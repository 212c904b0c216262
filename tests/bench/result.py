"""One measured number beside its goal."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """A number as measured; `goal` is the number to stay under, or over when it is a floor, in the same unit."""

    bench: str
    what: str
    value: float
    unit: str
    goal: float | None = None
    is_floor: bool = False


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value under which `share` percent of the values lie."""
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1]
