"""Words in an inverted table of PostgreSQL, scored by the formula that SQLite's bm25() has."""

# ruff: noqa: S608  (only constants become SQL; every value is a parameter)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from memory.search.backends.base import K1, TITLE_WEIGHT, B, FacetRow, Match, Places, Words
from memory.search.types import Sort

FEW = 250
"""Documents that any plan is good for."""

# Per term: inverse document frequency (never below a millionth), times the saturated frequency in the document. All of
# it comes from one index; what BM25 has to know of all documents is kept by triggers (migration 0006).
_SCORED = f"""
WITH size AS MATERIALIZED (
    SELECT sum(documents)::float8 AS documents, greatest(sum(terms)::float8 / nullif(sum(documents), 0), 1) AS average
    FROM memory_searchtotals
), wanted AS (
    SELECT p.* FROM unnest(%s::text[]) AS w (term) CROSS JOIN LATERAL (
        SELECT document_id, (title * {TITLE_WEIGHT}::float8 + body) AS frequency, length, count(*) OVER () AS documents
        FROM memory_searchposting WHERE term = w.term
    ) AS p
), scored AS (
    SELECT document_id, sum(
        greatest(ln((greatest(size.documents - p.documents, 0) + 0.5) / (p.documents + 0.5::float8)), 0.000001)
        * frequency * {K1 + 1}::float8 / (frequency + {K1}::float8 * ({1 - B} + {B}::float8 * length / size.average))
    ) AS score
    FROM wanted p CROSS JOIN size GROUP BY document_id
)
"""
_BEST = "(SELECT * FROM scored ORDER BY score DESC FETCH FIRST %s ROWS WITH TIES)"

# Last in a transaction: two that do it at the same time share the parts between them, and neither counts one twice.
_ADD_UP = """
WITH parts AS (DELETE FROM memory_searchtotals RETURNING documents, terms)
INSERT INTO memory_searchtotals SELECT sum(documents), sum(terms) FROM parts HAVING count(*) > 0
"""

# The planner learns of a first reading only when autovacuum comes by, and until then some searches take seconds.
_HAS_GROWN = f"""
SELECT (SELECT sum(documents) FROM memory_searchtotals) > 2 * greatest(reltuples, {FEW})
FROM pg_class WHERE oid = 'memory_searchdocument'::regclass
"""


class PostgresBackend:
    """See memory.search.backends.base.Backend."""

    def write(self, documents: Sequence[Words]) -> None:
        self.remove(words.document_id for words in documents)
        with connection.cursor() as cursor:
            columns = "(term, document_id, title, body, length)"
            with cursor.copy(f"COPY memory_searchposting {columns} FROM STDIN") as copy:
                for words in documents:
                    for row in _postings(words):
                        copy.write_row(row)
            cursor.execute(_ADD_UP)
        if _rows(_HAS_GROWN, [])[0][0]:
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE memory_searchposting, memory_searchdocument")

    def remove(self, document_ids: Iterable[int]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM memory_searchposting WHERE document_id = ANY(%s)", [list(document_ids)])

    def clear(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM memory_searchposting")

    def candidates(self, match: Match, *, sort: Sort, limit: int) -> list[tuple[int, float]]:
        terms = match.any or match.all
        condition, parameters = _condition(replace(match, any=()))
        order = "score DESC, " if sort == "relevance" else ""
        tail = f'{condition} ORDER BY {order}d."when" DESC, d.id DESC LIMIT %s'
        if not terms:
            return _rows(f"SELECT d.id, 0.0::float8 AS score FROM memory_searchdocument d{tail}", [*parameters, limit])
        is_free = sort == "relevance" and not condition  # then only the best are joined, not all
        source, taken = (_BEST, [limit]) if is_free else ("scored", [])
        return _rows(
            f"{_SCORED} SELECT d.id, s.score FROM {source} s JOIN memory_searchdocument d ON d.id = s.document_id{tail}",
            [list(terms), *taken, *parameters, limit],
        )

    def facets(self, match: Match, *, limit: int) -> list[FacetRow]:
        condition, parameters = _condition(match)
        return _rows(
            "SELECT project_id, kind, type, platform, count(*) FROM"
            " (SELECT d.project_id, d.kind, d.type, d.platform FROM memory_searchdocument d"
            f"{condition} LIMIT %s) AS facts GROUP BY 1, 2, 3, 4",
            [*parameters, limit],
        )

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        sql = "SELECT term, count(*) FROM memory_searchposting WHERE term = ANY(%s) GROUP BY term"
        return dict(_rows(sql, [list(terms)]))

    def places(self, document_ids: Iterable[int], terms: frozenset[str]) -> dict[int, Places]:
        sql = (
            "SELECT document_id, array_agg(term) FILTER (WHERE title > 0), array_agg(term) FILTER (WHERE body > 0)"
            " FROM memory_searchposting WHERE document_id = ANY(%s) AND term = ANY(%s) GROUP BY document_id"
        )
        rows = _rows(sql, [list(document_ids), list(terms)])
        return {pk: Places(frozenset(title or ()), frozenset(body or ())) for pk, title, body in rows}

    def document_ids(self) -> set[int]:
        return {row[0] for row in _rows("SELECT DISTINCT document_id FROM memory_searchposting", [])}


def _postings(words: Words) -> Iterator[tuple[str, int, int, int, int]]:
    titles, bodies = Counter(words.title), Counter(words.body)
    length = len(words.title) + len(words.body)
    for term in titles.keys() | bodies.keys():
        yield term, words.document_id, titles[term], bodies[term], length


def _rows(sql: str, parameters: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _condition(match: Match) -> tuple[str, list[object]]:
    """WHERE of everything that matches, over the alias `d`, and its parameters."""
    parts = [match.where.sql] if match.where.sql else []
    parameters = list(match.where.parameters)
    if match.any:
        parts.append("d.id IN (SELECT document_id FROM memory_searchposting WHERE term = ANY(%s))")
        parameters.append(list(match.any))
    for terms, is_forbidden in [(match.all, False), *((group, True) for group in match.none)]:
        if terms:
            parts.append(f"d.id {'NOT ' if is_forbidden else ''}IN ({_EVERY})")
            parameters += [list(terms), len(terms)]
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), parameters


_EVERY = "SELECT document_id FROM memory_searchposting WHERE term = ANY(%s) GROUP BY document_id HAVING count(*) = %s"
