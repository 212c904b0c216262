"""Finds names that were probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory.projects import names

MOST = 3
"""Letters that may be put in, left out or exchanged (Engram's)."""


def similar(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that differ from `name` by at most 3 letters and half of their length, best first.

    Compared as names are, and by the last part where one is a path. The name itself is not among them.
    """
    wanted = names.canonical(name)
    others = {other for other in known if names.canonical(other) != wanted}
    found = sorted((_distance(wanted, names.canonical(other)), len(other), other) for other in others)
    return [other for distance, _, other in found if distance <= MOST]


def _distance(one: str, other: str) -> int:
    """Return the smallest distance that is small enough, or more than is allowed."""
    pairs = {(one, other), (_last(one), _last(other))}
    return min(_edits(a, b) if a and b else MOST + 1 for a, b in pairs)


def _edits(a: str, b: str) -> int:
    most = min(MOST, max(1, max(len(a), len(b)) // 2))
    if abs(len(a) - len(b)) > most:
        return MOST + 1
    row = list(range(len(b) + 1))
    for number, letter in enumerate(a, 1):
        row = list(_next(row, number, letter, b, most))
        if min(row) > most:
            return MOST + 1
    return row[-1] if row[-1] <= most else MOST + 1


def _next(row: list[int], number: int, letter: str, b: str, most: int) -> Iterator[int]:
    """Yield the next row of Levenshtein's table; outside of the band that can still count everything is too far."""
    left = number
    yield left
    for column, other in enumerate(b, 1):
        if abs(column - number) > most:
            left = MOST + 1
        else:
            left = min(left + 1, row[column] + 1, row[column - 1] + (letter != other))
        yield left


def _last(name: str) -> str:
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1]
