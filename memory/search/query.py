"""The one search: words, filters and order in, a page of hits out."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from django.db import OperationalError
from django.utils import timezone

from memory.models import Project, SearchDocument
from memory.paging import BadCursor
from memory.search import backends, conditions, hints, index, language, meaning, question, relevance
from memory.search.backends.base import FacetRow, Match
from memory.search.question import Question
from memory.search.rank import Candidate, Ranking
from memory.search.snippets import snippet
from memory.search.tokens import fold, query_terms
from memory.search.types import Filters, Hit, Query, Results, Sort, Why

logger = logging.getLogger("memdock.search")

POOL = 40
"""Candidates that get a second look; what is ranked below keeps the order of its BM25."""
LARGEST_PAGE = 200
COUNTED = 10_000
"""Matches that are counted; more are not told apart."""
FOLLOWED = 2000
"""Changes that a search takes up before it answers."""
_CHECKED = 1000
_DEEPEST = 10_000


@dataclass(frozen=True, slots=True)
class _Search:
    """A query on its way to the index; `phrases` and `forbidden` ones are folded and checked on the text."""

    query: Query
    question: Question
    match: Match
    phrases: tuple[str, ...]
    forbidden: tuple[str, ...]
    sort: Sort

    @property
    def is_checked(self) -> bool:
        """Tell whether matches have to be read one by one."""
        return bool(self.phrases or self.forbidden)

    def allows(self, row: SearchDocument) -> bool:
        """Tell whether a document has each phrase and no forbidden one."""
        text = _folded(f"{row.title}\n{row.text}")
        return all(phrase in text for phrase in self.phrases) and not any(phrase in text for phrase in self.forbidden)

    @property
    def is_possible(self) -> bool:
        """Tell whether anything can match: words that nobody wrote, or signs alone, match nothing."""
        query = self.query
        if query.words or query.phrases:
            return self.match.has_words
        return bool(query.excluded) or query.filters != Filters()


def search(
    text: str | Query, *, filters: Filters | None = None, sort: Sort = "relevance", limit: int = 20, cursor: str = ""
) -> Results:
    """Find what was remembered; filters given here win over those in the text.

    Takes any text (see memory.search.language); a Query is taken as it is. Whatever was committed before is found, or
    the hint says that the index is behind. Raises BadCursor.
    """
    started = time.perf_counter()
    offset, limit = _offset(cursor), min(max(limit, 1), LARGEST_PAGE)
    is_behind = _catch_up()
    asked = _ask(_query(text, filters), sort)
    found, facts = _find(asked, offset + limit)
    page = found[offset : offset + limit]
    names = dict(Project.objects.values_list("pk", "name"))
    total, end = sum(count for *_, count in facts), offset + len(page)
    return Results(
        query=asked.query,
        total=total,
        facets=_facets(facts, names),
        items=_hits(page, asked, names),
        next=str(end) if page and end < min(total, _DEEPEST) else "",
        hint=hints.BEHIND if is_behind else "" if total else _hint(asked),
        took_ms=round((time.perf_counter() - started) * 1000, 3),
    )


def _offset(cursor: str) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 6 and int(cursor) < _DEEPEST):
        raise BadCursor("This cursor was not given out by this list.")
    return int(cursor)


def _query(text: str | Query, given: Filters | None) -> Query:
    query = language.parse(text) if isinstance(text, str) else text
    if given is None:
        return query
    chosen = {field.name: value for field in fields(given) if (value := getattr(given, field.name))}
    return replace(query, filters=replace(query.filters, **chosen))


def _catch_up() -> bool:
    """Take up what was written since; tell whether something is left. A busy database is no reason to find nothing."""
    try:
        if index.lag() == 0:
            return False
        index.follow(limit=FOLLOWED)
        return index.lag() != 0
    except OperationalError as exc:
        logger.warning("The index could not be brought up to date: %s", exc)
        return True


def _ask(query: Query, sort: Sort) -> _Search:
    wanted = question.ask(_asked_text(query), documents=SearchDocument.objects.count())
    excluded = {text: tuple(term.text for term in query_terms(text)) for text in query.excluded}
    match = Match(
        any=wanted.scored(),
        all=tuple(dict.fromkeys(part for phrase in query.phrases for part in _parts(phrase))),
        none=tuple(terms for terms in excluded.values() if len(terms) == 1),
        where=conditions.where(query.filters),
    )
    forbidden = (_folded(text) for text, terms in excluded.items() if len(terms) > 1)
    return _Search(query, wanted, match, tuple(map(_folded, query.phrases)), tuple(forbidden), sort)


def _parts(phrase: str) -> list[str]:
    """Index terms that every text with the phrase has, also one where it is a part of a longer name."""
    return [part for term in query_terms(phrase) for part in term.parts or (term.text,)]


def _find(asked: _Search, wanted: int) -> tuple[list[Candidate], list[FacetRow]]:
    """Return the best matches, `wanted` of them when there are so many, and the facts of all."""
    if not asked.is_possible:
        return [], []
    limit = _CHECKED if asked.is_checked else max(POOL, wanted)
    found = backends.current().candidates(asked.match, sort=asked.sort, limit=limit)
    rows = SearchDocument.objects.in_bulk([pk for pk, _ in found])
    documents = [(rows[pk], bm25) for pk, bm25 in found if pk in rows]
    if not asked.is_checked:
        return _ranked(documents, asked), backends.current().facets(asked.match, limit=COUNTED)
    documents = [(row, bm25) for row, bm25 in documents if asked.allows(row)]
    counted = Counter((row.project_id, row.kind, row.type, row.platform) for row, _ in documents)
    return _ranked(documents, asked), [(*facts, count) for facts, count in counted.items()]


def _folded(text: str) -> str:
    return " ".join(fold(text).split())


def _ranked(documents: Sequence[tuple[SearchDocument, float]], asked: _Search) -> list[Candidate]:
    """Give the first ones a second look; those that follow keep their places behind them."""
    ranking = Ranking(asked.question, at=timezone.now())
    close, rest = documents[:POOL], documents[POOL:]
    pks = [row.pk for row, _ in close]
    places = backends.current().places(pks, asked.question.index_terms) if asked.match.has_words else {}
    nearest = meaning.nearest(_asked_text(asked.query), pks) if asked.match.has_words else {}
    found = [*ranking.order(close, places, nearest), *ranking.order(rest, {})]
    if asked.sort == "time" or not asked.match.has_words:
        order = {row.pk: place for place, (row, _) in enumerate(documents)}
        found.sort(key=lambda candidate: order[candidate.document.pk])
    return found


def _asked_text(query: Query) -> str:
    return " ".join([query.words, *query.phrases])


def _facets(facts: Sequence[FacetRow], names: dict[int, str]) -> dict[str, dict[str, int]]:
    """Number of hits by value, the most frequent first."""
    counted: dict[str, Counter[str]] = {name: Counter() for name in ("project", "kind", "type", "platform")}
    for project, kind, type_, platform, count in facts:
        for name, value in zip(counted, (names.get(project, ""), kind, type_, platform), strict=True):
            if value:
                counted[name][value] += count
    return {name: dict(counter.most_common()) for name, counter in counted.items()}


def _hits(page: Sequence[Candidate], asked: _Search, names: dict[int, str]) -> list[Hit]:
    terms = asked.question.index_terms
    return [_hit(candidate, terms, names.get(candidate.document.project_id, ""), asked) for candidate in page]


def _hit(candidate: Candidate, terms: frozenset[str], project: str, asked: _Search) -> Hit:
    row, features = candidate.document, candidate.features
    return Hit(
        ref=row.ref,
        kind=row.kind,
        project=project,
        title=row.title,
        snippet=snippet(row.text, terms),
        when=row.when,
        session=row.session,
        type=row.type,
        platform=row.platform,
        score=round(candidate.score, 4),
        relevance=round(relevance.relevance(features), 4) if asked.match.has_words else 1.0,
        why=Why(lexical=round(features.coverage, 4), semantic=round(candidate.nearest, 4)),
    )


def _hint(asked: _Search) -> str:
    def count(filters: Filters) -> int:
        return len(_find(replace(asked, match=replace(asked.match, where=conditions.where(filters))), POOL)[0])

    return (
        hints.hint(asked.query, asked.question, count) if asked.query.text or asked.query.filters != Filters() else ""
    )
