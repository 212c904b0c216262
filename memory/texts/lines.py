"""Lines of texts that are compared: how they are split, matched, marked and left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal, NamedTuple

from memory.texts import hidden

type Side = Literal["same", "add", "del", "none"]

COMPARED = 1000
"""Lines between the first and the last changed one that are compared; more can take seconds."""

_WORDS = 300
"""Words of a line whose changed ones are looked for."""
_ALIKE = 0.5
"""The share of equal words below which two lines are different lines, not two states of one."""
_AROUND = 3
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class Step(NamedTuple):
    """Lines `i` to `i_end` of one text, from 0, and `j` to `j_end` of another, which stand in their place."""

    is_equal: bool
    i: int
    i_end: int
    j: int
    j_end: int


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line; hidden characters are made visible."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a row; `number` counts from 1 and is 0 where there is no line."""

    side: Side
    number: int
    parts: tuple[Part, ...]


NOTHING = Half("none", 0, ())


def split(text: str) -> list[str]:
    """Return the lines of a text, whatever its line ends are; a line end at the end makes none."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def steps(old: Sequence[str], new: Sequence[str]) -> list[Step] | None:
    """Return how one text becomes the other; None when that would take too long to find out."""
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if all(middle) and max(map(len, middle)) > COMPARED:
        return None
    found = [Step(is_equal=True, i=0, i_end=head, j=0, j_end=head)] if head else []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
        found.append(Step(tag == "equal", i + head, i_end + head, j + head, j_end + head))
    if tail:
        found.append(Step(is_equal=True, i=len(old) - tail, i_end=len(old), j=len(new) - tail, j_end=len(new)))
    return found


def near[T](rows: Sequence[T], is_same: Callable[[T], bool]) -> Iterator[T | int]:
    """Yield the rows near a changed one, and instead of the others how many there are; a single one stays."""
    changed = [at for at, row in enumerate(rows) if not is_same(row)]
    kept = {at + step for at in changed for step in range(-_AROUND, _AROUND + 1)}
    for is_kept, group in groupby(enumerate(rows), key=lambda pair: pair[0] in kept):
        found = [row for _, row in group]
        if is_kept or len(found) == 1:
            yield from found
        else:
            yield len(found)


def words(before: str, after: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Mark the words that two states of a line do not share; none when the lines have too little in common."""
    was, now = pieces(before, after)
    return _shown(was), _shown(now)


type Pieces = list[tuple[str, bool]]
"""Pieces of a line as they are, and whether each is changed."""


def pieces(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Take two states of a line apart where their words differ; hidden characters stay as they are."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not old or not new or max(len(old), len(new)) > _WORDS or not _are_alike(old, new):
        return _piece(before), _piece(after)
    was: Pieces = []
    now: Pieces = []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was += _piece("".join(old[i:i_end]), is_changed=tag != "equal")
        now += _piece("".join(new[j:j_end]), is_changed=tag != "equal")
    return was, now


def plain(text: str) -> tuple[Part, ...]:
    """Return a line as one part, none for an empty one."""
    return _shown(_piece(text))


def _piece(text: str, *, is_changed: bool = False) -> Pieces:
    return [(text, is_changed)] if text else []


def _shown(found: Pieces) -> tuple[Part, ...]:
    return tuple(Part(hidden.visible(text), is_changed) for text, is_changed in found)


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the equal lines at the beginning of two texts."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _are_alike(old: Sequence[str], new: Sequence[str]) -> bool:
    letters = [[word for word in found if word[0].isalnum()] for found in (old, new)]
    return SequenceMatcher(None, letters[0], letters[1], autojunk=False).ratio() >= _ALIKE
