"""What the search box offers for the word that is being typed: names of filters, then their values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.utils import dateformat, timezone

from dock.contexts.hits import KINDS
from memory.models import Project, SearchDocument
from memory.projects import queries as projects
from memory.sessions import queries as sessions

SHOWN = 8
"""Values that are offered at once."""
_NEWEST = 10_000
"""Documents whose types and platforms are offered: all of a large index would take too long."""
_SHORTEST = 2
"""Letters after which the names of filters are offered; one letter is the beginning of any word."""

_NAMES = {
    "project": "one project only",
    "kind": "entry, session, skill or document",
    "type": "decision, bugfix and the like",
    "platform": "what one agent wrote",
    "session": "one conversation",
    "since": "from a day on",
    "until": "up to a day",
    "is": "pinned",
}
_DAYS = {"today": 0, "yesterday": 1, "7d": 7, "30d": 30, "3m": 90, "1y": 365}
_VALUE = re.compile(r'(?P<name>[a-z]+):"?(?P<value>[^"]*)"?')


@dataclass(frozen=True, slots=True)
class Completion:
    """What takes the place of the word, and a few words about it."""

    text: str
    detail: str


type _Values = Iterable[tuple[str, str]]


def completions(word: str, project: Project | None) -> list[Completion]:
    """Return what may be meant by a word, the likeliest first; nothing for one that is no beginning of a filter.

    At most one query.
    """
    asked = _VALUE.fullmatch(word)
    if asked and asked["name"] in _NAMES:
        return _matching(asked["name"], asked["value"], word, project)
    if len(word) < _SHORTEST:
        return []
    return [Completion(f"{name}:", told) for name, told in _NAMES.items() if name.startswith(word)]


def term(name: str, value: str) -> str:
    """Write a filter as the query language reads it."""
    return f'{name}:"{value}"' if re.search(r"\s", value) else f"{name}:{value}"


def _matching(name: str, typed: str, word: str, project: Project | None) -> list[Completion]:
    wanted = typed.casefold()
    values = [pair for pair in _VALUES[name](typed, project) if wanted in pair[0].casefold() and '"' not in pair[0]]
    values.sort(key=lambda pair: not pair[0].casefold().startswith(wanted))
    found = [Completion(term(name, value), detail) for value, detail in values]
    return [one for one in found if one.text != word][:SHOWN]


def _projects(_typed: str, _project: Project | None) -> _Values:
    return [(row.name, _counted(row.entry_count, "entry", "entries")) for row in projects.brief()]  # type: ignore[attr-defined]


def _kinds(_typed: str, project: Project | None) -> _Values:
    """Count the kinds of what is indexed, from the index of the database that has project and kind alone."""
    rows = SearchDocument.objects.filter(project=project) if project else SearchDocument.objects.all()
    counted: Counter[str] = Counter()
    for _, kind, number in rows.values_list("project", "kind").annotate(number=Count("pk")):
        counted[kind] += number
    return [(kind, _told(kind, number)) for kind, number in counted.most_common()]


def _told(value: str, number: int) -> str:
    kind = KINDS.get(value)
    return f"{kind.label}, {number:,}" if kind and kind.label != value else f"{number:,}"


def _recent(column: str) -> Callable[[str, Project | None], _Values]:
    """Return what finds the values of a column in the newest documents, the most frequent first."""

    def values(_typed: str, project: Project | None) -> _Values:
        newest = SearchDocument.objects.order_by("-when", "-pk").values_list(column, "project")[:_NEWEST]
        # Picked out here: the database would sort all of a project's documents first.
        own = (value for value, owner in newest if value and (project is None or owner == project.pk))
        return [(value, "") for value, _ in Counter(own).most_common()]

    return values


def _sessions(typed: str, project: Project | None) -> _Values:
    found = sessions.sessions(project).filter(Q(key__icontains=typed.replace("\0", "")))
    return [(row.key, row.title) for row in found.order_by(*sessions.ORDER)[:SHOWN]]


def _days(_typed: str, _project: Project | None) -> _Values:
    today = timezone.localdate()
    return [(word, dateformat.format(today - timedelta(days=ago), "j M Y")) for word, ago in _DAYS.items()]


def _pinned(_typed: str, _project: Project | None) -> _Values:
    return [("pinned", _NAMES["is"])]


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


_VALUES: dict[str, Callable[[str, Project | None], _Values]] = {
    "project": _projects,
    "kind": _kinds,
    "type": _recent("type"),
    "platform": _recent("platform"),
    "session": _sessions,
    "since": _days,
    "until": _days,
    "is": _pinned,
}
