"""Words in SQLite's FTS5. Its own tokenizer only splits at blanks: the terms are ours (see memory.search.tokens)."""

# ruff: noqa: S608  (only constants become SQL; every value is a parameter)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import batched
from typing import Any

from django.db import connection

from memory.search.backends.base import TITLE_WEIGHT, FacetRow, Match, Places, Words
from memory.search.types import Sort

_SCORE = f"-bm25(memory_searchwords, {TITLE_WEIGHT}, 1.0)"
# Only the best are joined; of equal ones the last written are taken for the newest.
_BEST = f"""
SELECT best.rowid, best.score, d.id IS NULL FROM (
    SELECT rowid, {_SCORE} AS score FROM memory_searchwords WHERE memory_searchwords MATCH %s
    ORDER BY score DESC, rowid DESC LIMIT %s
) AS best LEFT JOIN memory_searchdocument d ON d.id = best.rowid ORDER BY best.score DESC, best.rowid DESC
"""
_AT_ONCE = 500
"""Parameters of one statement; SQLite allows 999 in old builds."""


class SqliteBackend:
    """See memory.search.backends.base.Backend."""

    def write(self, documents: Sequence[Words]) -> None:
        self.remove(words.document_id for words in documents)
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO memory_searchwords (rowid, title, body) VALUES (%s, %s, %s)",
                [
                    (words.document_id, " ".join(words.title), " ".join(words.body))
                    for words in documents
                    if words.title or words.body
                ],
            )

    def remove(self, document_ids: Iterable[int]) -> None:
        with connection.cursor() as cursor:
            cursor.executemany("DELETE FROM memory_searchwords WHERE rowid = %s", [(pk,) for pk in document_ids])

    def clear(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM memory_searchwords")

    def candidates(self, match: Match, *, sort: Sort, limit: int) -> list[tuple[int, float]]:
        if match.has_words and not match.where.sql and sort == "relevance":
            best = _rows(_BEST, [_expression(match), limit])
            if not any(is_gone for *_, is_gone in best):  # words outlive a document that went with its project
                return [(pk, score) for pk, score, _ in best]
        found, parameters = _found(match)
        score = _SCORE if match.has_words else "0.0"
        order = "score DESC, " if sort == "relevance" else ""
        return _rows(
            f'SELECT d.id, {score} AS score {found} ORDER BY {order}d."when" DESC, d.id DESC LIMIT %s',
            [*parameters, limit],
        )

    def facets(self, match: Match, *, limit: int) -> list[FacetRow]:
        found, parameters = _found(match)
        return _rows(
            "SELECT project_id, kind, type, platform, count(*) FROM"
            f" (SELECT d.project_id, d.kind, d.type, d.platform {found} LIMIT %s) AS facts GROUP BY 1, 2, 3, 4",
            [*parameters, limit],
        )

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for part in batched(terms, _AT_ONCE):
            marks = ", ".join(["%s"] * len(part))
            found |= dict(_rows(f"SELECT term, doc FROM memory_searchvocabulary WHERE term IN ({marks})", part))
        return found

    def places(self, document_ids: Iterable[int], terms: frozenset[str]) -> dict[int, Places]:
        found: dict[int, Places] = {}
        for part in batched(document_ids, _AT_ONCE):
            marks = ", ".join(["%s"] * len(part))
            rows = _rows(f"SELECT rowid, title, body FROM memory_searchwords WHERE rowid IN ({marks})", part)
            for pk, title, body in rows:
                found[pk] = Places(terms.intersection(title.split(" ")), terms.intersection(body.split(" ")))
        return found

    def document_ids(self) -> set[int]:
        return {row[0] for row in _rows("SELECT rowid FROM memory_searchwords", [])}


def _rows(sql: str, parameters: Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _found(match: Match) -> tuple[str, list[object]]:
    """FROM and WHERE of everything that matches, and their parameters."""
    if match.has_words:
        source = (
            # CROSS keeps the order: with a filter SQLite would ask the text index anew for each document that has it.
            "FROM memory_searchwords CROSS JOIN memory_searchdocument d ON d.id = memory_searchwords.rowid"
            f" WHERE memory_searchwords MATCH %s{match.where.joined('AND')}"
        )
        return source, [_expression(match), *match.where.parameters]
    source = f"FROM memory_searchdocument d{match.where.joined('WHERE')}"
    if not match.none:
        return source, list(match.where.parameters)
    forbidden = " OR ".join(map(_every, match.none))
    source += " AND" if match.where.sql else " WHERE"
    return (
        f"{source} d.id NOT IN (SELECT rowid FROM memory_searchwords WHERE memory_searchwords MATCH %s)",
        [*match.where.parameters, forbidden],
    )


def _expression(match: Match) -> str:
    """FTS5's own language. Terms are letters, digits and `_` only; quoted, none is an operator."""
    wanted = [f"({' OR '.join(map(_quoted, match.any))})"] if match.any else []
    if match.all:
        wanted.append(_every(match.all))
    return " NOT ".join([f"({' AND '.join(wanted)})", *map(_every, match.none)])


def _every(terms: tuple[str, ...]) -> str:
    return f"({' AND '.join(map(_quoted, terms))})"


def _quoted(term: str) -> str:
    return f'"{term}"'
