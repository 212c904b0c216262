"""Versions of one turn, and what changed between two of them: side by side, with the changed words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from django.utils.safestring import SafeString

from dock.contexts import links
from dock.contexts.source import visible
from memory.models import Entry

LINES = 400
"""Lines of a text that is compared; more take seconds."""

_WORDS = 300
"""Words of a line whose changed ones are looked for."""

_ALIKE = 0.5
"""The share of equal words below which two lines are different lines, not two states of one."""

_AROUND = 3
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

type Side = Literal["same", "add", "del", "none"]


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
    rows: list[DiffRow] = []
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for place, (tag, i, i_end, j, j_end) in enumerate(opcodes):
        if tag == "equal":
            same = [
                _same(new[at], number, at + 1)
                for number, at in zip(range(i + 1, i_end + 1), range(j, j_end), strict=True)
            ]
            rows += _folded(same, is_first=place == 0, is_last=place == len(opcodes) - 1)
        else:
            rows += _changed(old[i:i_end], new[j:j_end], i + 1, j + 1)
    return rows


def _same(line: str, old_number: int, new_number: int) -> DiffRow:
    parts = [Part(visible(line), is_changed=False)]
    return DiffRow(Half("same", old_number, parts), Half("same", new_number, parts))


def _folded(rows: list[DiffRow], *, is_first: bool, is_last: bool) -> list[DiffRow]:
    """Keep the equal lines next to a change."""
    head, tail = 0 if is_first else _AROUND, 0 if is_last else _AROUND
    hidden = len(rows) - head - tail
    if hidden < 2:
        return rows
    return [*rows[:head], DiffRow(_NOTHING, _NOTHING, folded=hidden), *rows[len(rows) - tail :]]


def _changed(old: Sequence[str], new: Sequence[str], old_start: int, new_start: int) -> Iterator[DiffRow]:
    for at, (before, after) in enumerate(zip_longest(old, new)):
        was, now = _words(before or "", after or "")
        yield DiffRow(
            _NOTHING if before is None else Half("del", old_start + at, was),
            _NOTHING if after is None else Half("add", new_start + at, now),
        )


def _words(before: str, after: str) -> tuple[list[Part], list[Part]]:
    """Mark the words that two states of a line do not share; none when the lines have too little in common."""
    plain = [Part(visible(before), is_changed=False)], [Part(visible(after), is_changed=False)]
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not old or not new or max(len(old), len(new)) > _WORDS:
        return plain
    if SequenceMatcher(None, _letters(old), _letters(new), autojunk=False).ratio() < _ALIKE:
        return plain
    was, now = [], []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was += _part(old[i:i_end], is_changed=tag != "equal")
        now += _part(new[j:j_end], is_changed=tag != "equal")
    return was, now


def _letters(words: Sequence[str]) -> list[str]:
    return [word for word in words if word[0].isalnum()]


def _part(words: Sequence[str], *, is_changed: bool) -> list[Part]:
    return [Part(visible("".join(words)), is_changed)] if words else []
