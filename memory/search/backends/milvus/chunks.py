"""MemSearch's chunks of a markdown file, with its ids.

The rules are those of memsearch 0.4 (https://github.com/zilliztech/memsearch, src/memsearch/chunker.py): an id holds the
path, the lines, the text and the model's name, so that two indexers that follow them write the same rows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.search.backends.milvus import sections

LARGEST = 1500
"""Characters of a chunk; longer sections are split."""

_HEADING = re.compile(r"^(#{1,6})\s+(.+)$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SHORTEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A section of a file, or a part of a long one; lines count from 1, `level` is 0 before the first heading."""

    source: str
    heading: str
    level: int
    start_line: int
    end_line: int
    content: str

    def id(self, model: str) -> str:
        """Return the primary key of the chunk's row, 16 hex digits."""
        place = f"{self.source}:{self.start_line}:{self.end_line}"
        return _digest(f"markdown:{place}:{_digest(self.content)}:{model}")

    @property
    def said(self) -> str:
        """The text that is embedded: anchors and other comments left out."""
        return re.sub(r"\n{3,}", "\n\n", _COMMENT.sub("", self.content)).strip()


def chunk(text: str, source: str) -> list[Chunk]:
    """Cut a file at its headings of any level; `source` is its real path. Sections that say nothing are left out."""
    return [one for section in _sections(text.split("\n"), source) for one in section]


def _sections(lines: list[str], source: str) -> Iterator[list[Chunk]]:
    heads = [(place, found) for place, line in enumerate(lines) if (found := _HEADING.match(line))]
    if not heads or heads[0][0]:
        end = heads[0][0] if heads else len(lines)
        yield _section(lines[:end], source=source, heading="", level=0, before=0)
    ends = [*(place for place, _ in heads[1:]), len(lines)]
    for (start, found), end in zip(heads, ends, strict=False):
        title, level = found[2].strip(), len(found[1])
        yield _section(lines[start:end], source=source, heading=title, level=level, before=start)


def _section(lines: list[str], *, source: str, heading: str, level: int, before: int) -> list[Chunk]:
    """Make the chunks of one section; `before` counts the lines of the file above it."""
    whole = "\n".join(lines).strip()
    if not _says_something(whole):
        return []
    pieces = [sections.Piece(whole, 1, len(lines))] if len(whole) <= LARGEST else sections.split(lines, largest=LARGEST)
    return [
        Chunk(
            source=source,
            heading=heading,
            level=level,
            start_line=before + piece.first,
            end_line=before + piece.last,
            content=piece.text,
        )
        for piece in pieces
    ]


def _says_something(text: str) -> bool:
    lines = _COMMENT.sub("", text).splitlines()
    return len("\n".join(line for line in lines if not _HEADING.match(line)).strip()) >= _SHORTEST


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
