"""Versions of one turn, and what changed between two of them: side by side, with the changed words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest

from django.utils.safestring import SafeString

from dock.contexts import links
from dock.contexts.source import visible
from memory.models import Entry
from memory.texts import lines
from memory.texts.lines import Pieces, Side, Step

LINES = 400
"""Lines of a text that is compared; more take seconds."""


@dataclass(frozen=True, slots=True)
class Version:
    """One entry of a turn that was written more than once."""

    url: str
    date: date
    time: str
    is_this: bool
    is_latest: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line."""

    text: SafeString
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Half:
    """One side of a row; `number` is 0 where there is no line."""

    side: Side
    number: int
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line of both texts, or with `folded` the number of equal lines that are left out."""

    old: Half
    new: Half
    folded: int = 0


_NOTHING = Half("none", 0, [])


def listing(entry: Entry, told: Sequence[Entry]) -> list[Version]:
    """List the versions, the latest first."""
    latest = told[-1].pk
    return [
        Version(links.to("entry-detail", one.pk), one.date, one.time, one.pk == entry.pk, one.pk == latest)
        for one in reversed(told)
    ]


def compare(before: str, after: str) -> list[DiffRow] | None:
    """Compare two texts; None when they are too long for that. Both texts are hostile, the parts are escaped."""
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > LINES:
        return None
    rows = [row for step in lines.steps(old, new) or [] for row in _rows(old, new, step)]
    near = lines.near(rows, lambda row: row.new.side == "same")
    return [DiffRow(_NOTHING, _NOTHING, folded=row) if isinstance(row, int) else row for row in near]


def _rows(old: Sequence[str], new: Sequence[str], step: Step) -> Iterator[DiffRow]:
    sides: tuple[Side, Side] = ("same", "same") if step.is_equal else ("del", "add")
    pairs = zip_longest(old[step.i : step.i_end], new[step.j : step.j_end])
    for at, (before, after) in enumerate(pairs, start=1):
        was, now = lines.pieces(before or "", after or "")
        yield DiffRow(
            _NOTHING if before is None else Half(sides[0], step.i + at, _parts(was)),
            _NOTHING if after is None else Half(sides[1], step.j + at, _parts(now)),
        )


def _parts(pieces: Pieces) -> list[Part]:
    return [Part(visible(text), is_changed) for text, is_changed in pieces]
