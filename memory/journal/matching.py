"""Which section on disk is which row: a pure comparison, so that an entry keeps its id while its file changes."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Print:
    """What identifies an entry: its turn where it names one, else its place and content."""

    session: str
    turn: str
    time: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class Matching:
    """Indexes into the two lists that were compared."""

    same: list[tuple[int, int]]
    """Old and new of one entry; their content may differ."""
    added: list[int]
    removed: list[int]


def match(old: Sequence[Print], new: Sequence[Print]) -> Matching:
    """Pair two readings of one file, each in file order.

    Equal entries pair first, in order, repeats included; then entries of the same (session, turn), then those without
    a turn that kept session and time. What is left was added or removed.
    """
    pairs: dict[int, int] = {}
    left = list(range(len(old)))
    keys: list[Callable[[Print], Hashable]] = [
        lambda one: one,
        lambda one: (one.session, one.turn) if one.turn else None,
        lambda one: (one.session, one.time) if not one.turn else None,
    ]
    for key in keys:
        left = _pair(left, old, new, pairs, key)
    return Matching(
        same=sorted((was, now) for now, was in pairs.items()),
        added=[index for index in range(len(new)) if index not in pairs],
        removed=left,
    )


def _pair(
    left: list[int],
    old: Sequence[Print],
    new: Sequence[Print],
    pairs: dict[int, int],
    key: Callable[[Print], Hashable],
) -> list[int]:
    """Pair what has the same key, first come first served; return the old ones still alone."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for index, one in enumerate(new):
        if index not in pairs and key(one) is not None:
            waiting[key(one)].append(index)
    alone = []
    for index in left:
        found = waiting.get(key(old[index]))
        if found:
            pairs[found.popleft()] = index
        else:
            alone.append(index)
    return alone
