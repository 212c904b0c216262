"""Where a skill comes from: the journals that it cites."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

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


@dataclass(frozen=True, slots=True)
class _Line:
    """What is looked at of an entry: a day may have hundreds."""

    pk: int
    time: str
    text: str


def evidence(skill: SkillCandidate) -> list[Cited]:
    """Look up the sources of a skill, in their order. Three queries."""
    places = _places(skill)
    known = _known(skill, places)
    days: dict[date | None, list[_Line]] = defaultdict(list)
    rows = journals.entries(skill.project).filter(date__in=known).in_file_order()  # type: ignore[attr-defined]
    for pk, day, time, title, excerpt in rows.values_list("pk", "date", "time", "title", "excerpt"):
        days[day].append(_Line(pk, time, f"{title} {excerpt}"))
    words = _words(f"{skill.title} {skill.description} {skill.slug}")
    chosen = {source: _chosen(days.get(place.day, []), place.time, words) for source, place in places.items()}
    entries = journals.entries(skill.project).defer("body").in_bulk(pk for pk in chosen.values() if pk)
    return [_cited(source, place, known, entries.get(chosen[source])) for source, place in places.items()]


def missing(skill: SkillCandidate) -> list[str]:
    """Return the sources that nothing was found of, without looking for what they cite. Two queries."""
    places = _places(skill)
    known = _known(skill, places)
    timed = {place.day for place in places.values() if place.time}
    times = set(journals.entries(skill.project).filter(date__in=known & timed).order_by().values_list("date", "time"))
    return [
        source
        for source, place in places.items()
        if place.day not in known or (place.time and (place.day, place.time) not in times)
    ]


def _places(skill: SkillCandidate) -> dict[str, _Place]:
    return {source: _place(source) for source in skill.sources[:MOST]}


def _known(skill: SkillCandidate, places: dict[str, _Place]) -> set[date]:
    days = {place.day for place in places.values() if place.day}
    return set(skill.project.journals.filter(date__in=days).values_list("date", flat=True))


def _place(source: str) -> _Place:
    found = _DAY.search(source[:500])
    if found is None:
        return _Place(None, "")
    try:
        return _Place(date.fromisoformat(found[1]), found[2].rjust(5, "0") if found[2] else "")
    except ValueError:  # the 30th of February
        return _Place(None, "")


def _cited(source: str, place: _Place, known: set[date], entry: Entry | None) -> Cited:
    if place.day is None:
        return Cited(source, "", None, "", "", _FOREIGN)
    path = f"{DIRECTORY}/{place.day}.md"
    if place.day not in known:
        return Cited(source, path, None, "", "", _MISSING)
    if entry is None:
        return Cited(source, path, None, f"{place.day}.md", "", _NO_ENTRY if place.time else "")
    return Cited(source, path, entry, entry.title, entry.excerpt)


def _chosen(lines: list[_Line], time: str, words: frozenset[str]) -> int:
    """Return the pk of the first entry of a time, or of the first that shares most words; 0 for none."""
    if time:
        return next((line.pk for line in lines if line.time == time), 0)
    shared = [(len(words & _words(line.text)), line.pk) for line in lines]
    most, best = max(shared, key=lambda pair: pair[0], default=(0, 0))
    return best if most else 0


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(tokens.terms(text))
