"""Search as Engram's clients know it, over MemDock's one index: finds at least what Engram would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Literal

from django.db.models import Q, QuerySet

from memory.engram import naming, topics
from memory.models import Observation, Project
from memory.search import language, query
from memory.search.tokens import fold
from memory.search.types import Filters, Hit, Query

type MatchMode = Literal["", "all", "any"]

MOST = 20
USUAL = 10
TOPIC_RANK = -1000.0
"""What a hit by its topic key has for a rank."""

_FROM_INDEX = 2
"""Hits of the index that are looked at for each one that is wanted, since not all have every term."""
_RESTRICTED = 50
"""Hits that are looked at where the index does not know the restriction."""
_ALL_OF = 100
_ANY_OF = 12
"""Terms that are looked for as parts of words; of a longer question the longest ones, which say most."""
_COLUMNS = ("title", "content", "tool_name", "type", "topic_key", "project__name")


@dataclass(frozen=True, slots=True)
class Found:
    """An observation that was found; the lower its rank, the better it answers. Where no rank is known it is 0."""

    observation: Observation
    rank: float


def search(
    *,
    q: str,
    project: Project | None = None,
    type: str = "",  # noqa: A002 - the field's name on the wire
    scope: str = "",
    limit: int = USUAL,
    match_mode: MatchMode = "",
) -> list[Found]:
    """Return live observations, the best first; `limit` is 10 where it is not positive, and 20 at most.

    A query with a slash finds the memories of that topic key first. `all` wants every term, whole, as another form of
    the word or as a part of one; `any` wants one of them. Without a mode every term is wanted too, but where no memory
    has them all, those are returned that have most.
    """
    if project and not project.pk:  # nobody remembers anything there
        return []
    asked = language.literal(q)
    terms = _terms(asked.words)
    limit = min(limit, MOST) if limit > 0 else USUAL
    rows = _rows(project, type, scope)
    found = _Found(limit)
    if "/" in q:
        keys = {asked.words.strip(), topics.normalize(asked.words)}
        found.add((row, TOPIC_RANK) for row in rows.filter(topic_key__in=keys).order_by("-updated_at", "-pk")[:limit])
    if not terms:
        return found.all()
    hits = _hits(asked, rows, project, type, _RESTRICTED if scope or type else _FROM_INDEX * limit)
    if match_mode != "any":
        found.add((row, -hit.score) for row, hit in hits if hit.why.lexical == 1 or _has_all(row, terms))
        found.fill(lambda: _holding(rows, terms[:_ALL_OF], and_))
    if match_mode == "any" or (match_mode == "" and not found.all()):
        found.add((row, -hit.score) for row, hit in hits)
        found.fill(lambda: _holding(rows, terms[:_ANY_OF], or_))
    return found.all()


class _Found:
    """Gathers hits, each once, until there are enough."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._found: dict[int, Found] = {}

    def add(self, ranked: Iterable[tuple[Observation, float]]) -> None:
        for row, rank in ranked:
            if len(self._found) == self._limit:
                break
            self._found.setdefault(row.pk, Found(row, round(rank, 4)))

    def fill(self, more: Callable[[], QuerySet[Observation]]) -> None:
        """Read every row, which takes long, only where too few were found."""
        if len(self._found) < self._limit:
            self.add((row, 0.0) for row in more().exclude(pk__in=self._found)[: self._limit])

    def all(self) -> list[Found]:
        return list(self._found.values())


def _terms(q: str) -> list[str]:
    """Split at white space, like Engram; the longest first."""
    terms = {term.strip('"') for term in q.split()}
    return sorted(terms - {""}, key=lambda term: (-len(term), term))


def _rows(project: Project | None, kind: str, scope: str) -> QuerySet[Observation]:
    rows = Observation.objects.live().select_related("session", "project")
    rows = rows.filter(project=project) if project else rows
    rows = rows.filter(type=kind) if kind else rows
    return rows.filter(scope=naming.scope(scope)) if scope.strip() else rows


def _hits(
    asked: Query, rows: QuerySet[Observation], project: Project | None, kind: str, limit: int
) -> list[tuple[Observation, Hit]]:
    """Ask the index, which knows neither scopes nor types in capitals: the rows decide."""
    filters = Filters(
        project=project.name if project else "", kind="observation", type=kind if kind == kind.lower() else ""
    )
    hits = query.search(asked, filters=filters, limit=limit).items
    known = {f"observation:{row.pk}": row for row in rows.filter(pk__in=list(_pks(hits)))}
    return [(known[hit.ref], hit) for hit in hits if hit.ref in known]


def _pks(hits: Iterable[Hit]) -> Iterator[int]:
    for hit in hits:
        number = hit.ref.removeprefix("observation:")
        if number.isascii() and number.isdigit():
            yield int(number)


def _has_all(row: Observation, terms: list[str]) -> bool:
    texts = (row.title, row.content, row.tool_name, row.type, row.topic_key, naming.wire_name(row.project))
    text = fold("\n".join(texts))
    return all(fold(term) in text for term in terms)


def _holding(rows: QuerySet[Observation], terms: list[str], joined: Callable[[Q, Q], Q]) -> QuerySet[Observation]:
    """Select the rows that hold the terms as parts of any words, newest first."""
    return rows.filter(reduce(joined, map(_in_a_column, terms))).order_by("-updated_at", "-pk")


def _in_a_column(term: str) -> Q:
    spellings = {term, term.lower()}  # SQLite compares letters outside ASCII as they are written
    return reduce(or_, (Q(**{f"{column}__icontains": text}) for text in spellings for column in _COLUMNS))
