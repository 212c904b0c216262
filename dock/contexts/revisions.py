"""What pages with a history print: revisions, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from dock.contexts.source import ROWS, visible
from memory.models import DocumentRevision, SkillRevision
from memory.texts import lines
from memory.texts.lines import Step

LISTED = 200
"""Revisions that a history lists, the newest first; older ones keep their address."""

type Kind = Literal["same", "add", "del", "fold"]


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
    head = lines.common(old, new)
    tail = lines.common(old[head:][::-1], new[head:][::-1])
    steps = lines.steps(old, new)
    if steps is None or max(len(old), len(new)) - head - tail > (lines.COMPARED if old and new else ROWS):
        return Diff(number, number - 1, [], 0, 0, is_too_long=True)
    rows = [row for step in steps for row in _rows(old, new, step)]
    added, removed = (sum(row.kind == wanted for row in rows) for wanted in ("add", "del"))
    near = lines.near(rows, lambda row: row.kind == "same")
    shown = [DiffRow("fold", row, "") if isinstance(row, int) else row for row in near]
    return Diff(number, number - 1, shown, added, removed, is_too_long=False)


def _split(text: str) -> list[str]:
    found = text.split("\n")
    return found if found[-1] else found[:-1]


def _rows(old: list[str], new: list[str], step: Step) -> Iterator[DiffRow]:
    if not step.is_equal:
        yield from (DiffRow("del", at + 1, visible(old[at])) for at in range(step.i, step.i_end))
    kind: Kind = "same" if step.is_equal else "add"
    yield from (DiffRow(kind, at + 1, visible(new[at])) for at in range(step.j, step.j_end))
