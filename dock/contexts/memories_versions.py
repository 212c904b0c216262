"""What a memory said before: its versions, and two of them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import dateformat, timezone

from dock.contexts import links, versions
from dock.contexts.choices import Option
from dock.contexts.versions import DiffRow
from memory.models import Observation, ObservationVersion

LISTED = 200
"""Versions that a page offers, the newest first; older ones keep their address."""

_FIELDS = (("title", "Title"), ("type", "Type"), ("scope", "Scope"), ("topic_key", "Topic"))


@dataclass(frozen=True, slots=True)
class Said:
    """What a memory says, said, or is to say."""

    type: str
    title: str
    content: str
    scope: str
    topic_key: str


type Memory = Said | Observation | ObservationVersion


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field beside the text that differs."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two texts side by side; without rows they are too long to compare."""

    before: str
    after: str
    fields: list[FieldChange]
    rows: list[DiffRow] | None
    is_same_text: bool


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions view; without a difference nothing was ever changed. `restored` is the number of the older one."""

    older: list[Option]
    newer: list[Option]
    difference: Difference | None
    restored: int
    restore_url: str
    is_cut: bool


def history(row: Observation, old: str, new: str, *, can_restore: bool) -> Versions:
    """Build the view; `old` and `new` are numbers of versions, anything else asks for the last change. Two queries."""
    kept = list(row.versions.order_by("-number").defer("content")[: LISTED + 1])
    if not kept:
        return Versions([], [], None, 0, "", is_cut=False)
    current = kept[0].number + 1
    to = _number(new, 2, current)
    since = _number(old, 1, to - 1)
    texts = {one.number: said(one) for one in row.versions.filter(number__in=[since, to])}
    now = said(row)
    before, after = texts.get(since, now), texts.get(to, now)
    shown = {since: f"Version {since}", to: f"Version {to}"} | _names(kept[:LISTED])
    return Versions(
        older=_options({number: name for number, name in shown.items() if number != current}, since),
        newer=_options(shown, to),
        difference=difference(before, after, names=(_whole(kept, since, shown[since]), _whole(kept, to, shown[to]))),
        restored=since,
        restore_url=links.to("memory-restore-version", row.pk, since) if can_restore and before != now else "",
        is_cut=len(kept) > LISTED,
    )


def said(row: Memory) -> Said:
    """Return what a memory or a version says, to be compared."""
    return Said(row.type, row.title, row.content, row.scope, row.topic_key)


def difference(before: Memory, after: Memory, *, names: tuple[str, str]) -> Difference:
    """Compare what a memory says with what it says elsewhere; `names` are those of the two. Both are hostile."""
    return Difference(
        before=names[0],
        after=names[1],
        fields=[
            FieldChange(label, getattr(before, name), getattr(after, name))
            for name, label in _FIELDS
            if getattr(before, name) != getattr(after, name)
        ],
        rows=versions.compare(before.content, after.content),
        is_same_text=before.content == after.content,
    )


def _number(text: str, least: int, most: int) -> int:
    """Return the number that an address names, or the largest one."""
    found = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else most
    return min(max(found, least), most)


def _options(names: dict[int, str], chosen: int) -> list[Option]:
    return [Option(str(number), names[number], number == chosen) for number in sorted(names, reverse=True)]


def _names(kept: list[ObservationVersion]) -> dict[int, str]:
    """Name the versions by when they were made, the one that is said now as such."""
    current = kept[0].number + 1
    return {one.number: f"Version {one.number}, {_moment(one.created_at)}" for one in kept} | {
        current: f"Version {current}, current"
    }


def _whole(kept: list[ObservationVersion], number: int, name: str) -> str:
    """Add who made a version, which the version before it tells."""
    by = next((one.replaced_by for one in kept if one.number == number - 1), "")
    return f"{name}, by {by}" if by else name


def _moment(at: datetime) -> str:
    return dateformat.format(timezone.localtime(at), "j M Y H:i")
