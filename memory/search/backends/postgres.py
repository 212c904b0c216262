"""Words in an inverted table of PostgreSQL, scored by the formula that SQLite's bm25() has."""

# ruff: noqa: S608  (only constants become SQL; every value is a parameter)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import connection

from memory.search.backends.base import K1, TITLE_WEIGHT, B, FacetRow, Match, Places, Words
from memory.search.types import Sort

# Per term: inverse document frequency (never below a millionth), times the saturated frequency in the document.
_SCORED = f"""
WITH size AS MATERIALIZED (
    SELECT count(*)::float8 AS documents, greatest(avg(length), 1)::float8 AS average FROM memory_searchdocument
), wanted AS MATERIALIZED (
    SELECT term, greatest(ln((size.documents - count(*) + 0.5) / (count(*) + 0.5)), 0.000001) AS weight
    FROM memory_searchposting CROSS JOIN size WHERE term = ANY(%s) GROUP BY term, size.documents
), scored AS (
    SELECT p.document_id, sum(
        w.weight * (p.title * {TITLE_WEIGHT} + p.body) * {K1 + 1}
        / (p.title * {TITLE_WEIGHT} + p.body + {K1} * ({1 - B} + {B} * d.length / size.average))
    ) AS score
    FROM memory_searchposting p JOIN wanted w USING (term) JOIN memory_searchdocument d ON d.id = p.document_id
    CROSS JOIN size GROUP BY p.document_id
)
"""


class PostgresBackend:
    """See memory.search.backends.base.Backend."""

    def write(self, documents: Sequence[Words]) -> None:
        self.remove(words.document_id for words in documents)
        with connection.cursor() as cursor:
            columns = "(term, document_id, title, body)"
            with cursor.copy(f"COPY memory_searchposting {columns} FROM STDIN") as copy:
                for words in documents:
                    for row in _postings(words):
                        copy.write_row(row)

    def remove(self, document_ids: Iterable[int]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM memory_searchposting WHERE document_id = ANY(%s)", [list(document_ids)])

    def clear(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM memory_searchposting")

    def candidates(self, match: Match, *, sort: Sort, limit: int) -> list[tuple[int, float]]:
        condition, parameters = _condition(match)
        order = "score DESC, " if sort == "relevance" else ""
        tail = f'{condition} ORDER BY {order}d."when" DESC, d.id DESC LIMIT %s'
        if not match.has_words:
            return _rows(f"SELECT d.id, 0.0::float8 AS score FROM memory_searchdocument d{tail}", [*parameters, limit])
        return _rows(
            f"{_SCORED} SELECT d.id, s.score FROM scored s JOIN memory_searchdocument d ON d.id = s.document_id{tail}",
            [list(match.any or match.all), *parameters, limit],
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


def _postings(words: Words) -> Iterator[tuple[str, int, int, int]]:
    titles, bodies = Counter(words.title), Counter(words.body)
    for term in titles.keys() | bodies.keys():
        yield term, words.document_id, titles[term], bodies[term]


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
