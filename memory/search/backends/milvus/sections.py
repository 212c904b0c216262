"""Splits a section that is too long for one chunk: at blank lines, else between lines, else between sentences.

The same packing as memsearch 0.4 (src/memsearch/chunker.py, `_split_large_section`), with two lines of overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

OVERLAP = 2
"""Lines that a piece repeats of the one before."""

# A full stop inside a name (`v1.2`, `path/to.py`) ends no sentence.
_SENTENCE_END = re.compile(
    r"(?:……|…|[\u3002\uff01\uff1f\uff1b]\s*|[.!?;](?=\s|$|[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af])\s*)"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a section, from its `first` to its `last` line, counted from 1."""

    text: str
    first: int
    last: int


def split(lines: list[str], *, largest: int) -> Iterator[Piece]:
    """Yield the pieces of a section in order, none longer than `largest` characters, none empty."""
    held: list[str] = []
    start = size = 0  # the place of held[0], and the length of what is held
    for place, line in enumerate(lines):
        size += len(line) + bool(held)
        held.append(line)
        is_last = place == len(lines) - 1
        if size < largest:
            if is_last:
                yield from _pieces(held, start, largest)
            continue
        if not line.strip() and not is_last:
            yield from _pieces(held, start, largest)
            held = held[-OVERLAP:]
        elif len(held) > 1:
            yield from _pieces(held[:-1], start, largest)
            held = [*held[:-1][-OVERLAP:], line]
            if is_last:
                yield from _pieces(held, place + 1 - len(held), largest, end=len(lines))
        else:
            yield from _pieces(held, start, largest)
            held = []
        start, size = place + 1 - len(held), len("\n".join(held))


def _pieces(held: list[str], start: int, largest: int, *, end: int = 0) -> Iterator[Piece]:
    text = held[0] if len(held) == 1 else "\n".join(held).strip()  # a long line is cut with its indent, as there
    for part in _sentences(text, largest):
        if part.strip():
            yield Piece(part.strip(), start + 1, end or start + len(held))


def _sentences(text: str, largest: int) -> Iterator[str]:
    """Cut behind the last sentence that fits, or else where the room ends."""
    while len(text) > largest:
        ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, largest)]
        cut = ends[-1] if ends else largest
        yield text[:cut]
        text = text[cut:]
    yield text
