"""Comparisons of two or three texts, line by line; hidden characters in them are made visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from memory.texts import hidden, lines
from memory.texts.lines import NOTHING, Half, Part, Side, Step

__all__ = ["Counted", "Half", "Line", "Part", "Row", "Triple", "count", "side_by_side", "three_way", "unified"]

type Kind = Literal["same", "add", "del", "fold"]
type Origin = Literal["same", "installed", "candidate", "both", "conflict"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a unified comparison.

    `number` counts in the later text, for `del` in the earlier one; for a `fold` it is how many equal lines the row
    stands for.
    """

    kind: Kind
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of both texts, or with `folded` the number of equal lines that are left out."""

    old: Half
    new: Half
    folded: int = 0


@dataclass(frozen=True, slots=True)
class Triple:
    """A line of three texts, or with `folded` the number of equal lines that are left out.

    `origin` says who changed it since the base. `both` made the same change; in a `conflict` they made different ones.
    """

    origin: Origin
    base: Half
    installed: Half
    candidate: Half
    folded: int = 0


@dataclass(frozen=True, slots=True)
class Counted:
    """Lines that only one of two texts has."""

    added: int
    removed: int


def count(before: str, after: str) -> Counted:
    """Count the lines that changed; all of them where the texts are too long to compare."""
    old, new = lines.split(before), lines.split(after)
    steps = lines.steps(old, new)
    if steps is None:
        return Counted(len(new), len(old))
    changed = [step for step in steps if not step.is_equal]
    return Counted(sum(step.j_end - step.j for step in changed), sum(step.i_end - step.i for step in changed))


def unified(before: str, after: str) -> list[Line] | None:
    """Compare two texts in one column; None when they are too long for that."""
    old, new = lines.split(before), lines.split(after)
    steps = lines.steps(old, new)
    if steps is None:
        return None
    rows = [line for step in steps for line in _lines(old, new, step)]
    found = lines.near(rows, lambda line: line.kind == "same")
    return [Line("fold", one, "") if isinstance(one, int) else one for one in found]


def side_by_side(before: str, after: str) -> list[Row] | None:
    """Compare two texts in two columns, changed words of a line marked; None when they are too long for that."""
    old, new = lines.split(before), lines.split(after)
    steps = lines.steps(old, new)
    if steps is None:
        return None
    rows = [row for step in steps for row in _rows(old, new, step)]
    found = lines.near(rows, lambda row: row.new.side == "same")
    return [Row(NOTHING, NOTHING, folded=one) if isinstance(one, int) else one for one in found]


def three_way(base: str, installed: str, candidate: str) -> list[Triple] | None:
    """Compare what was installed, what its copy is now, and what is proposed; None when they are too long for that.

    Lines that only one of the two changed carry its name; where both changed the same lines of the base, or inserted
    at the same place, it is a conflict unless they agree.
    """
    texts = _Texts(lines.split(base), lines.split(installed), lines.split(candidate))
    left, right = lines.steps(texts.base, texts.installed), lines.steps(texts.base, texts.candidate)
    if left is None or right is None:
        return None
    rows = [row for region in _regions(texts, left, right) for row in _triples(texts, region)]
    found = lines.near(rows, lambda row: row.origin == "same")
    return [Triple("same", NOTHING, NOTHING, NOTHING, folded=one) if isinstance(one, int) else one for one in found]


def _lines(old: Sequence[str], new: Sequence[str], step: Step) -> Iterator[Line]:
    if step.is_equal:
        yield from (Line("same", at + 1, hidden.visible(new[at])) for at in range(step.j, step.j_end))
        return
    yield from (Line("del", at + 1, hidden.visible(old[at])) for at in range(step.i, step.i_end))
    yield from (Line("add", at + 1, hidden.visible(new[at])) for at in range(step.j, step.j_end))


def _rows(old: Sequence[str], new: Sequence[str], step: Step) -> Iterator[Row]:
    pairs = zip_longest(old[step.i : step.i_end], new[step.j : step.j_end])
    for at, (before, after) in enumerate(pairs, start=1):
        was, now = (lines.plain(before),) * 2 if step.is_equal else lines.words(before or "", after or "")
        yield Row(
            NOTHING if before is None else Half("same" if step.is_equal else "del", step.i + at, was),
            NOTHING if after is None else Half("same" if step.is_equal else "add", step.j + at, now),
        )


@dataclass(frozen=True, slots=True)
class _Texts:
    base: list[str]
    installed: list[str]
    candidate: list[str]


@dataclass(frozen=True, slots=True)
class _Region:
    """Lines of the base and what stands in their place in the two others: starts and ends, from 0."""

    origin: Origin
    base: tuple[int, int]
    installed: tuple[int, int]
    candidate: tuple[int, int]


def _regions(texts: _Texts, left: list[Step], right: list[Step]) -> Iterator[_Region]:
    at, shifts = 0, (0, 0)
    for steps in _overlapping(left, right):
        start, end = min(one.i for pair in steps for one in pair), max(one.i_end for pair in steps for one in pair)
        grown = tuple(sum((one.j_end - one.j) - (one.i_end - one.i) for one in side) for side in steps)
        yield _region(texts, "same", (at, start), shifts, (0, 0))
        yield _region(texts, _origin(steps), (start, end), shifts, (grown[0], grown[1]))
        at, shifts = end, (shifts[0] + grown[0], shifts[1] + grown[1])
    yield _region(texts, "same", (at, len(texts.base)), shifts, (0, 0))


type _Sides = tuple[list[Step], list[Step]]


def _overlapping(left: list[Step], right: list[Step]) -> Iterator[_Sides]:
    """Group the changes of both sides whose lines of the base overlap, in order."""
    changed = [(step, side) for side, steps in enumerate((left, right)) for step in steps if not step.is_equal]
    group: _Sides = ([], [])
    end = -1
    for step, side in sorted(changed, key=lambda pair: (pair[0].i, pair[0].i_end)):
        is_apart = step.i > end or (step.i == end and step.i < step.i_end and not _ends_empty(group, end))
        if any(group) and is_apart:
            yield group
            group = ([], [])
        group[side].append(step)
        end = max(end, step.i_end)
    if any(group):
        yield group


def _ends_empty(group: _Sides, end: int) -> bool:
    """Tell whether something is only inserted where a group of changes ends."""
    return any(step.i == step.i_end == end for side in group for step in side)


def _origin(steps: _Sides) -> Origin:
    installed, candidate = steps
    return "conflict" if installed and candidate else "installed" if installed else "candidate"


def _region(
    texts: _Texts, origin: Origin, base: tuple[int, int], shifts: tuple[int, int], grown: tuple[int, int]
) -> _Region:
    installed, candidate = (
        (base[0] + shift, base[1] + shift + more) for shift, more in zip(shifts, grown, strict=True)
    )
    is_agreed = texts.installed[slice(*installed)] == texts.candidate[slice(*candidate)]
    return _Region("both" if origin == "conflict" and is_agreed else origin, base, installed, candidate)


def _triples(texts: _Texts, region: _Region) -> Iterator[Triple]:
    origin = region.origin
    sides: tuple[Side, Side, Side] = (
        "same" if origin == "same" else "del",
        "same" if origin in {"same", "candidate"} else "add",
        "same" if origin in {"same", "installed"} else "add",
    )
    places = (region.base, region.installed, region.candidate)
    columns = [
        [Half(side, at + 1, lines.plain(text[at])) for at in range(*place)]
        for side, place, text in zip(sides, places, (texts.base, texts.installed, texts.candidate), strict=True)
    ]
    for base, installed, candidate in zip_longest(*columns, fillvalue=NOTHING):
        yield Triple(origin, base, installed, candidate)
