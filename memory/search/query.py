"""The one search: words, filters and order in, a page of hits out."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from django.db import OperationalError
from django.utils import timezone

from memory import locks
from memory.models import Project, SearchDocument
from memory.paging import BadCursor
from memory.search import backends, conditions, hints, index, language, meaning, question, relevance
from memory.search.backends.base import NOWHERE, FacetRow, Match
from memory.search.meaning import Meant
from memory.search.question import Question
from memory.search.rank import Candidate, Ranking
from memory.search.snippets import snippet
from memory.search.tokens import fold, query_terms
from memory.search.types import Filters, Hit, Query, Results, Sort, Why

logger = logging.getLogger("memdock.search")

POOL = 40
"""Candidates that get a second look; what is ranked below keeps the order of its BM25. MRR on the tune half of
tests/bench/recall: .834 with 20, .843 with 40, .842 with 60."""
LARGEST_PAGE = 200
COUNTED = 10_000
"""Matches that are counted; more are not told apart."""
FEWEST = 300
"""Documents that a word's rarity is judged against even where there are fewer: in a young memory every word is in most of
them, which does not make it common (with 2 entries the right answer had a relevance of .01, with this .60)."""
FOLLOWED = 300
"""Changes that a search takes up before it answers; where more wait, that is left to a worker if there is one."""
PATIENCE = 1.0
"""Seconds that a search waits for another one of its process that does so, and for those who write meanwhile."""
HURRY = 0.05
"""The same where so much waits that the answer would not be complete all the same."""
_CHECKED = 1000
_DEEPEST = 10_000

_catching_up = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Search:
    """A query on its way to the index; `phrases` and `forbidden` ones are folded and checked on the text."""

    query: Query
    question: Question
    match: Match
    phrases: tuple[str, ...]
    forbidden: tuple[str, ...]
    sort: Sort
    meant: Meant | None

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
        """Tell whether the index can know of a match: words that nobody wrote, or signs alone, match nothing."""
        query = self.query
        if query.words or query.phrases:
            return self.match.has_words or backends.understands()
        return bool(query.excluded) or query.filters != Filters()

    @property
    def is_open(self) -> bool:
        """Tell whether a document may be found that has none of the words; not where some are wanted or forbidden."""
        return bool(self.meant and self.meant.is_strong) and not (self.query.phrases or self.query.excluded)


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
    page = _page(found, offset, limit)
    names = dict(Project.objects.values_list("pk", "name"))
    total, end = sum(count for *_, count in facts), offset + len(page)
    return Results(
        query=asked.query,
        total=total,
        facets=_facets(facts, names),
        items=_hits(page, asked, names),
        next=str(end) if page and end < min(total, _DEEPEST) else "",
        hint=hints.BEHIND if is_behind else backends.hint() or ("" if total else _hint(asked)),
        took_ms=round((time.perf_counter() - started) * 1000, 3),
    )


def _page(found: list[Candidate], offset: int, limit: int) -> list[Candidate]:
    first = [replace(one, features=replace(one.features, is_first=True)) for one in found[:1]]
    return [*first, *found[1:]][offset : offset + limit]


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
    """Take up what was written by now; tell whether some of it is left.

    Of the searches of one process one does it: each would make the same documents ready, and only one can write them.
    Those that waited find it done. A busy database is no reason to find nothing.
    """
    lag = 0
    try:
        wanted = index.position()
        if not (lag := wanted.lag):
            return False
        if lag > FOLLOWED and index.has_worker():
            return True
        patience = PATIENCE if lag <= FOLLOWED else HURRY
        if not _catching_up.acquire(timeout=patience):
            return True
        try:
            if not _is_known(wanted):
                with locks.impatient(patience):
                    index.follow(limit=FOLLOWED)
        finally:
            _catching_up.release()
        return not _is_known(wanted)
    except OperationalError as exc:
        if lag <= FOLLOWED:
            logger.warning("The index could not be brought up to date: %s", exc)
        return True


def _is_known(wanted: index.Position) -> bool:
    return wanted.latest <= (now := index.position()).known <= now.latest


def _ask(query: Query, sort: Sort) -> _Search:
    text = _asked_text(query)
    wanted = question.ask(text, documents=max(SearchDocument.objects.count(), FEWEST))
    excluded = {text: tuple(term.text for term in query_terms(text)) for text in query.excluded}
    match = Match(
        any=wanted.scored(),
        all=tuple(dict.fromkeys(part for phrase in query.phrases for part in _parts(phrase))),
        none=tuple(terms for terms in excluded.values() if len(terms) == 1),
        where=conditions.where(query.filters),
        text=text,
    )
    forbidden = (_folded(text) for text, terms in excluded.items() if len(terms) > 1)
    meant = meaning.ask(text) if wanted.asked and sort == "relevance" else None
    return _Search(query, wanted, match, tuple(map(_folded, query.phrases)), tuple(forbidden), sort, meant)


def _parts(phrase: str) -> list[str]:
    """Index terms that every text with the phrase has, also one where it is a part of a longer name."""
    return [part for term in query_terms(phrase) for part in term.parts or (term.text,)]


def _find(asked: _Search, wanted: int) -> tuple[list[Candidate], list[FacetRow]]:
    """Return the best matches, `wanted` of them when there are so many, and the facts of all."""
    limit = _CHECKED if asked.is_checked else max(POOL, wanted)
    found = backends.current().candidates(asked.match, sort=asked.sort, limit=limit) if asked.is_possible else []
    meant = asked.meant.best(asked.match.where, limit=POOL) if asked.meant and asked.is_open else {}
    rows = SearchDocument.objects.in_bulk({*dict(found), *meant})
    documents = [rows[pk] for pk, _ in found if pk in rows]
    if asked.is_checked:
        documents = [row for row in documents if asked.allows(row)]
        return _ranked(documents, [], asked), _facts(documents)
    added = [rows[pk] for pk in meant if pk in rows and pk not in dict(found)]
    facts = backends.current().facets(asked.match, limit=COUNTED) if asked.is_possible else []
    return _ranked(documents, added, asked), [*facts, *_facts(_wordless(added, asked))]


def _wordless(rows: Sequence[SearchDocument], asked: _Search) -> list[SearchDocument]:
    """Those that are not counted yet, because they have none of the words that were looked for."""
    worded = backends.current().places([row.pk for row in rows], frozenset(asked.match.any)) if rows else {}
    return [row for row in rows if worded.get(row.pk, NOWHERE) == NOWHERE]


def _facts(rows: Sequence[SearchDocument]) -> list[FacetRow]:
    counted = Counter((row.project_id, row.kind, row.type, row.platform) for row in rows)
    return [(*facts, count) for facts, count in counted.items()]


def _folded(text: str) -> str:
    return " ".join(fold(text).split())


def _ranked(documents: Sequence[SearchDocument], added: Sequence[SearchDocument], asked: _Search) -> list[Candidate]:
    """Give the first ones, and those found by meaning, a second look; what follows keeps its places behind them."""
    ranking = Ranking(asked.question, at=timezone.now())
    close, rest = [*documents[:POOL], *added], documents[POOL:]
    if not asked.match.text.strip():
        return ranking.by_words(documents, {})
    pks = [row.pk for row in close]
    places = backends.current().places(pks, asked.question.index_terms)
    found = ranking.by_words(close, places)
    if backends.understands():
        found = ranking.fused(found, pks)
    if asked.meant:
        nearest = asked.meant.nearest(pks)
        order = sorted(nearest, key=lambda pk: -nearest[pk])
        found = ranking.fused(found, order, nearest) if asked.meant.is_strong else ranking.mixed(found, nearest)
    if asked.sort == "time":
        found.sort(key=lambda candidate: pks.index(candidate.document.pk))
    return [*found, *ranking.by_words(rest, {})]


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
        relevance=round(relevance.relevance(features), 4) if asked.match.text.strip() else 1.0,
        why=Why(lexical=round(features.coverage, 4), semantic=round(candidate.nearest, 4)),
    )


def _hint(asked: _Search) -> str:
    def count(filters: Filters) -> int:
        return len(_find(replace(asked, match=replace(asked.match, where=conditions.where(filters))), POOL)[0])

    return (
        hints.hint(asked.query, asked.question, count) if asked.query.text or asked.query.filters != Filters() else ""
    )
