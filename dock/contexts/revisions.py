"""What pages with a history print: revisions, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from dock.contexts.source import ROWS, visible
from memory.models import DocumentRevision, SkillRevision

LISTED = 200
"""Revisions that a history lists, the newest first; older ones keep their address."""

COMPARED = 1000
"""Lines between the first and the last changed one that are compared; more can take seconds."""

_AROUND = 3

type Kind = Literal["same", "add", "del", "fold"]
type Line = tuple[Kind, int, str]


@dataclass(frozen=True, slots=True)
class RevisionItem:
    """One content that was on disk."""

    number: int
    url: str
    seen_at: datetime
    content_hash: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line of a comparison.

    `number` counts in the later text, for `del` in the earlier one; for a `fold`, it is how many equal lines the row
    stands for.
    """

    kind: Kind
    number: int
    text: SafeString | str


@dataclass(frozen=True, slots=True)
class Diff:
    """What one revision changed; the first one (`before` 0) added everything. Without rows where that is too much."""

    number: int
    before: int
    rows: list[DiffRow]
    added: int
    removed: int
    is_too_long: bool


@dataclass(frozen=True, slots=True)
class History:
    """Revisions, the newest first, and the change of the one that is shown; None where nothing was kept."""

    items: list[RevisionItem]
    diff: Diff | None


def history[Row: (SkillRevision, DocumentRevision)](
    rows: QuerySet[Row], wanted: str, link: Callable[[int], str]
) -> History:
    """Build a history; `wanted` is a revision's number, anything else asks for the newest. Two queries.

    `link` gives the address of the page that shows a revision.
    """
    newest = rows.order_by("-number")
    known = list(newest.only("number", "content_hash", "seen_at")[:LISTED])
    named = int(wanted) if wanted.isdecimal() and len(wanted) < 10 else 0
    texts = list((newest.filter(number__lte=named) if named else newest)[:2])
    shown = texts[0].number if texts else 0
    items = [
        RevisionItem(row.number, link(row.number), row.seen_at, short(row.content_hash), row.number == shown)
        for row in known
    ]
    before = texts[1].text if len(texts) > 1 else ""
    return History(items, diff(before, texts[0].text, number=shown) if texts else None)


def short(content_hash: str) -> str:
    """Return the beginning of a hash: enough to tell two contents apart by eye."""
    return content_hash.rpartition(":")[2][:10]


def diff(before: str, after: str, *, number: int) -> Diff:
    """Compare two texts line by line; the revision `number` came after `number - 1`."""
    old, new = _split(before), _split(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    if max(len(old), len(new)) - head - tail > (COMPARED if old and new else ROWS):
        return Diff(number, number - 1, [], 0, 0, is_too_long=True)
    lines = list(_lines(old, new, head, tail))
    rows = [DiffRow(kind, number, visible(text)) for kind, number, text in _folded(lines)]
    added, removed = (sum(kind == wanted for kind, _, _ in lines) for wanted in ("add", "del"))
    return Diff(number, number - 1, rows, added, removed, is_too_long=False)


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _common(one: list[str], other: list[str]) -> int:
    """Count the equal lines at the beginning of two texts."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _lines(old: list[str], new: list[str], head: int, tail: int) -> Iterator[Line]:
    """Yield every line of a comparison of texts that begin and end alike."""
    yield from _numbered("same", new, 0, head)
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
    for operation, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if operation == "equal":
            yield from _numbered("same", new, head + from_new, head + to_new)
            continue
        yield from _numbered("del", old, head + from_old, head + to_old)
        yield from _numbered("add", new, head + from_new, head + to_new)
    yield from _numbered("same", new, len(new) - tail, len(new))


def _numbered(kind: Kind, lines: list[str], start: int, stop: int) -> Iterator[Line]:
    for at in range(start, stop):
        yield kind, at + 1, lines[at]


def _folded(lines: list[Line]) -> Iterator[Line]:
    """Leave out equal lines that are far from a changed one."""
    changed = [at for at, (kind, _, _) in enumerate(lines) if kind != "same"]
    near = {at + step for at in changed for step in range(-_AROUND, _AROUND + 1)}
    skipped = 0
    for at, line in enumerate(lines):
        if at not in near:
            skipped += 1
            continue
        if skipped:
            yield "fold", skipped, ""
        skipped = 0
        yield line
    if skipped:
        yield "fold", skipped, ""
