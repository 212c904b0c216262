"""Finds saved memories that may speak of the same thing as another one, by the words of their titles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.db import connection
from django.db.models import Q

from memory.models import Observation, SearchDocument
from memory.search import backends, index
from memory.search.backends.base import Match, Where
from memory.search.tokens import query_terms

POOL = 40
"""Documents of the index whose titles are compared."""
NOT_INDEXED = 200
"""Newly saved memories that are compared before the index knows them."""
POSTINGS = 500
"""Occurrences of a title's words that are looked at, the rarest first; what is everywhere tells nothing."""
_UNTITLED = {"session_summary", "passive"}
"""Types whose titles nobody chose."""
_ENOUGH = 2
"""Telling words that two titles have to share (Engram's rule)."""

# Asked with each save: Django would take four times as long to make this query as the database to answer it.
_NEWER = (
    "SELECT ref, title FROM memory_change"
    " WHERE id > coalesce((SELECT value FROM memory_marker WHERE name = %s), 0) AND ref LIKE 'observation:%%'"
    " ORDER BY id DESC LIMIT %s"
)

type _Titles = Iterable[tuple[str, str]]
"""Refs with titles."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A memory that is like another one; `score`, 0 to 1, is the share of their titles' words that both have.

    Its content was not read: asking for that costs a query.
    """

    observation: Observation
    score: float


def find(observation: Observation) -> list[Alike]:
    """Return the live memories of the same project and scope that are like this one, the most alike first.

    Like Engram, alike are those with the same topic key, those whose titles share two telling words, and those whose
    titles are the same single word. Four queries, five when there are any.
    """
    if observation.type in _UNTITLED:
        return []
    own = words(observation.title)
    near = {pk for titles in (_indexed(observation, own), _not_indexed()) for pk in _near(own, titles)}
    near.discard(observation.pk)
    if not near and not observation.topic_key:
        return []
    wanted = Q(pk__in=near)
    if observation.topic_key:
        wanted |= Q(topic_key=observation.topic_key)
    rows = Observation.objects.live().filter(wanted, project=observation.project_id, scope=observation.scope)
    rows = rows.exclude(pk=observation.pk).exclude(type__in=_UNTITLED).defer("content")
    found = [Alike(row, _score(observation, own, row)) for row in rows]
    return sorted((one for one in found if one.score), key=lambda one: (-one.score, -one.observation.pk))


@lru_cache(maxsize=4096)
def words(title: str) -> frozenset[str]:
    """Return the words of a title that say something, by their stems; names give their parts."""
    telling = (term for term in query_terms(title) if term.weight == 1)
    return frozenset(part for term in telling for part in term.parts or (term.text,))


def _score(observation: Observation, own: frozenset[str], other: Observation) -> float:
    if observation.topic_key and observation.topic_key == other.topic_key:
        return 1.0
    return _shared(own, words(other.title))


def _shared(own: frozenset[str], theirs: frozenset[str]) -> float:
    shared = own & theirs
    is_alike = len(shared) >= _ENOUGH or (len(own) == 1 and own == theirs)
    return round(len(shared) / len(own | theirs), 3) if is_alike else 0.0


def _near(own: frozenset[str], titles: _Titles) -> Iterator[int]:
    for ref, title in titles:
        number = ref.removeprefix("observation:")
        if number.isascii() and number.isdigit() and _shared(own, words(title)):
            yield int(number)


def _indexed(observation: Observation, own: frozenset[str]) -> _Titles:
    terms = _rarest(own)
    if not terms:
        return []
    where = Where("d.kind = %s AND d.project_id = %s", ("observation", observation.project_id))
    best = backends.current().candidates(Match(any=terms, where=where), sort="relevance", limit=POOL)
    return SearchDocument.objects.filter(pk__in=[pk for pk, _ in best]).values_list("ref", "title")


def _rarest(own: frozenset[str]) -> tuple[str, ...]:
    frequency = backends.current().document_frequency(own)
    chosen, postings = list[str](), 0
    for term in sorted(frequency, key=lambda term: (frequency[term], term)):
        postings += frequency[term]
        if postings > POSTINGS:
            break
        chosen.append(term)
    return tuple(chosen)


def _not_indexed() -> _Titles:
    """What was saved a moment ago, after the last time that the index was brought up to date."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWER, [index.CURSOR, NOT_INDEXED])
        return list(cursor.fetchall())
