"""Horizontal bars: shares of a whole, as numbers and as lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

MOST = 8
"""Bars of one panel; what is left is one more."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One share; `width` is of 100, which the largest has; without an address there is no list of it."""

    label: str
    url: str
    value: int
    share: str
    width: str


def bars(counts: Mapping[str, int], url: Callable[[str], str], *, rest: str = "") -> list[Bar]:
    """Draw the largest first, MOST of them; `rest` names the sum of the others, which are left out without a name."""
    ranked = sorted(((name, n) for name, n in counts.items() if n), key=lambda pair: (-pair[1], pair[0]))
    others = sum(n for _, n in ranked[MOST:])
    shown = [(name, url(name), n) for name, n in ranked[:MOST]]
    return drawn([*shown, (rest, "", others)] if rest and others else shown, total=sum(n for _, n in ranked))


def drawn(rows: Iterable[tuple[str, str, int]], *, total: int) -> list[Bar]:
    """Draw (label, address, number) in this order."""
    kept = list(rows)
    most = max((n for _, _, n in kept), default=1)
    return [Bar(label, url, n, percent(n, total), f"{max(100 * n / most, 0.5):.1f}") for label, url, n in kept]


def percent(part: int, whole: int) -> str:
    """Write a share, empty of nothing; what is only nearly nothing or all is not called so."""
    if not whole:
        return ""
    share = round(100 * part / whole)
    return f"{min(max(share, 1), 99) if 0 < part < whole else share} %"
