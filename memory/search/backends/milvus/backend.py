"""The local words, and beside them what Milvus finds of the journals."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection
from django.db.models import Q

from memory.models import Entry, Journal, SearchDocument
from memory.search.backends.base import Backend, FacetRow, Match, Places, Where, Words
from memory.search.backends.milvus import asking, journals
from memory.search.backends.milvus.collections import Row
from memory.search.backends.milvus.connection import Unreachable
from memory.search.backends.milvus.journals import Home
from memory.search.types import Sort

# Projects that hold an entry which meets the filters of the question.
_MEANT = (
    "SELECT p.name, p.root, p.memory_dir FROM memory_project p WHERE p.memory_dir <> '' AND EXISTS"
    " (SELECT 1 FROM memory_searchdocument d WHERE d.project_id = p.id AND d.kind = 'entry'{where}) ORDER BY p.id"
)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What Milvus said to a question: documents, the best first, or why it said nothing."""

    match: Match
    documents: tuple[int, ...] = ()
    trouble: str = ""


_last = threading.local()


def trouble() -> str:
    """Return why the last search of this thread went without Milvus, "" when it did not; told once."""
    answer: _Answer | None = getattr(_last, "answer", None)
    _last.answer = None
    return answer.trouble if answer else ""


class MilvusBackend:
    """See memory.search.backends.base.Backend. Words are kept by the local backend, which answers alone when Milvus
    does not; a question's facets are those of what was found by either.
    """

    def __init__(self, local: Backend) -> None:
        self._local = local

    def write(self, documents: Sequence[Words]) -> None:
        self._local.write(documents)

    def remove(self, document_ids: Iterable[int]) -> None:
        self._local.remove(document_ids)

    def clear(self) -> None:
        self._local.clear()

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return self._local.document_frequency(terms)

    def places(self, document_ids: Iterable[int], terms: frozenset[str]) -> dict[int, Places]:
        return self._local.places(document_ids, terms)

    def document_ids(self) -> set[int]:
        return self._local.document_ids()

    def candidates(self, match: Match, *, sort: Sort, limit: int) -> list[tuple[int, float]]:
        _last.answer = self._ask(match)
        words = self._worded(match, sort=sort, limit=limit)
        meant = _last.answer.documents
        if not meant:
            return words
        if sort == "time":
            found = [pk for pk, _ in self._local.candidates(_among([*dict(words), *meant]), sort=sort, limit=limit)]
            return [(pk, dict(words).get(pk, 0.0)) for pk in found]
        return _fused(words, meant)[:limit]

    def facets(self, match: Match, *, limit: int) -> list[FacetRow]:
        facts = self._local.facets(match, limit=limit) if match.has_words or not match.text else []
        answer: _Answer | None = getattr(_last, "answer", None)
        if answer is None or answer.match != match:
            answer = self._ask(match)
        more = set(answer.documents) - self._with_words(match, answer.documents)
        return [*facts, *(self._local.facets(_among(more), limit=limit) if more else [])]

    def _worded(self, match: Match, *, sort: Sort, limit: int) -> list[tuple[int, float]]:
        if match.text and not match.has_words:  # words that nobody wrote
            return []
        return self._local.candidates(match, sort=sort, limit=limit)

    def _with_words(self, match: Match, documents: Sequence[int]) -> set[int]:
        """Which of these documents the words find as well."""
        if not (documents and match.has_words):
            return set()
        among = replace(match, where=_joined(match.where, documents))
        return {pk for pk, _ in self._local.candidates(among, sort="time", limit=len(documents))}

    def _ask(self, match: Match) -> _Answer:
        if not match.text:
            return _Answer(match)
        try:
            rows = asking.ask(match.text, _meant(match.where))
        except Unreachable as exc:
            return _Answer(match, trouble=str(exc))
        return _Answer(match, tuple(self._allowed(match, _documents(rows))))

    def _allowed(self, match: Match, documents: list[int]) -> list[int]:
        """Leave out what the filters, phrases and excluded words of the question do not allow."""
        if not documents:
            return []
        among = replace(match, any=(), where=_joined(match.where, documents))
        allowed = dict(self._local.candidates(among, sort="time", limit=len(documents)))
        return [pk for pk in documents if pk in allowed]


def _meant(where: Where) -> list[Home]:
    parameters: list[Any] = [*where.parameters]
    with connection.cursor() as cursor:
        cursor.execute(_MEANT.format(where=where.joined("AND")), parameters)
        return [journals.home(name=name, root=root, memory_dir=kept) for name, root, kept in cursor.fetchall()]


def _among(documents: Iterable[int]) -> Match:
    return Match(where=_joined(Where(), list(documents)))


def _joined(where: Where, documents: Sequence[int]) -> Where:
    marks = ", ".join(["%s"] * len(documents))
    sql = f"d.id IN ({marks})"
    return Where(f"{where.sql} AND {sql}" if where.sql else sql, (*where.parameters, *documents))


def _fused(words: list[tuple[int, float]], meant: Sequence[int]) -> list[tuple[int, float]]:
    """Fuse both rankings; the scores stay those of the words, given out anew in the new order."""
    order = asking.fused([[pk for pk, _ in words], meant])
    scores = sorted((score for _, score in words), reverse=True) or [1.0]
    return [(pk, scores[min(place, len(scores) - 1)]) for place, pk in enumerate(order)]


def _documents(rows: Sequence[Row]) -> list[int]:
    """Return the documents of the entries that chunks lie in, in the order of the chunks. Three queries."""
    found = [ref for row, entries in zip(rows, _entries(rows), strict=True) for ref in entries if _says(row, *ref)]
    refs = list(dict.fromkeys(f"entry:{pk}" for pk, _ in found))
    pks = dict(SearchDocument.objects.filter(ref__in=refs).values_list("ref", "pk"))
    return [pks[ref] for ref in refs if ref in pks]


def _entries(rows: Sequence[Row]) -> list[list[tuple[int, str]]]:
    """Return the entries (id, text) at the place of each chunk: none or one."""
    keys = _journals({row.source for row in rows})
    wanted = Q()
    for row in rows:
        if row.source in keys:
            wanted |= Q(journal=keys[row.source], start_line__lte=row.start_line, end_line__gte=row.start_line)
    kept = (
        Entry.objects.filter(wanted).values_list("pk", "journal_id", "start_line", "end_line", "body") if wanted else ()
    )
    return [
        [
            (pk, body)
            for pk, journal, first, last, body in kept
            if journal == keys.get(row.source) and first <= row.start_line <= last
        ]
        for row in rows
    ]


def _journals(sources: set[str]) -> dict[str, int]:
    """Return the journals that have these sources, by source."""
    folders = {source.rpartition("/memory/")[0] for source in sources}
    names = {f"memory/{source.rpartition('/')[2]}" for source in sources}
    rows = Journal.objects.filter(project__memory_dir__in=folders, path__in=names)
    found = rows.values_list("project__memory_dir", "path", "pk")
    return {f"{folder.rstrip('/')}/{path}": pk for folder, path, pk in found}


def _says(row: Row, _pk: int, body: str) -> bool:
    """Tell whether the entry still says what Milvus was told: lines move when somebody edits above them."""
    lines = [line.strip() for line in row.content.splitlines() if not line.startswith(("#", "<!--"))]
    return max(lines, key=len, default="") in body
