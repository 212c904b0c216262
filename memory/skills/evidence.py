"""Where a skill comes from: the journals that it cites."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from memory.journal import queries as journals
from memory.journal.sync import DIRECTORY
from memory.models import Entry, SkillCandidate
from memory.search import tokens

MOST = 100
"""Sources of one skill that are looked up."""

_DAY = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?:\.md)?(?!\d)(?:.*?(?<!\d)(\d{1,2}:\d{2})(?!\d))?", re.DOTALL)
_FOREIGN = "This names no journal."
_MISSING = "This project has no journal of this day."
_NO_ENTRY = "The journal has no entry of this time."


@dataclass(frozen=True, slots=True)
class Cited:
    """One source as meta.json names it, and what MemDock has of it.

    `path` is relative to `.memsearch`, empty where the source names no journal. Where only a day is cited, `entry` is
    the one that shares most words with the skill, None where none shares any. With a `problem`, nothing was found.
    """

    source: str
    path: str
    entry: Entry | None
    heading: str
    excerpt: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    day: date | None
    time: str


def evidence(skill: SkillCandidate) -> list[Cited]:
    """Look up the sources of a skill, in their order. Two queries."""
    places = {source: _place(source) for source in skill.sources[:MOST]}
    days = {place.day for place in places.values() if place.day}
    known = set(skill.project.journals.filter(date__in=days).values_list("date", flat=True))
    entries: dict[date, list[Entry]] = defaultdict(list)
    rows = journals.entries(skill.project).filter(date__in=known).defer("body")
    for entry in rows.in_file_order():  # type: ignore[attr-defined]
        entries[entry.date].append(entry)
    words = _words(f"{skill.title} {skill.description} {skill.slug}")
    return [_cited(source, place, known, entries, words) for source, place in places.items()]


def _place(source: str) -> _Place:
    found = _DAY.search(source[:500])
    if found is None:
        return _Place(None, "")
    try:
        return _Place(date.fromisoformat(found[1]), found[2].rjust(5, "0") if found[2] else "")
    except ValueError:  # the 30th of February
        return _Place(None, "")


def _cited(
    source: str, place: _Place, known: Iterable[date], entries: dict[date, list[Entry]], words: set[str]
) -> Cited:
    if place.day is None:
        return Cited(source, "", None, "", "", _FOREIGN)
    path = f"{DIRECTORY}/{place.day}.md"
    if place.day not in known:
        return Cited(source, path, None, "", "", _MISSING)
    entry = _chosen(entries[place.day], place.time, words)
    if entry is None:
        return Cited(source, path, None, f"{place.day}.md", "", _NO_ENTRY if place.time else "")
    return Cited(source, path, entry, entry.title, entry.excerpt)


def _chosen(entries: list[Entry], time: str, words: set[str]) -> Entry | None:
    if time:
        return next((entry for entry in entries if entry.time == time), None)
    shared = [(len(words & _words(f"{entry.title} {entry.excerpt}")), entry) for entry in entries]
    most, best = max(shared, key=lambda pair: pair[0], default=(0, None))
    return best if most else None


def _words(text: str) -> set[str]:
    return set(tokens.terms(text))
