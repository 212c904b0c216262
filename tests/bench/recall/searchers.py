"""Who answers: grep, plain FTS5 as others use it, and ours."""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Callable, Mapping

from memory.search import query
from memory.search.types import Filters, Hit
from tests.bench.recall.corpora import Corpus

type Searcher = Callable[[str], list[tuple[str, float]]]
"""From a question to the keys of entries, best first, each with its relevance (0 to 1, or 0 where there is none)."""

DEPTH = 20
ENTRIES = Filters(kind="entry")
"""The labels are of entries; a session is found by the title of its first one, and would stand before it."""

_WORD = re.compile(r"\w+")


def grep(texts: Mapping[str, str]) -> Searcher:
    """Return a searcher that ranks by the number of different words of the question that occur, newest first."""
    lines = {key: text.casefold() for key, text in reversed(list(texts.items()))}

    def search(question: str) -> list[tuple[str, float]]:
        words = set(_WORD.findall(question.casefold()))
        counts = {key: sum(word in text for word in words) for key, text in lines.items()}
        best = sorted((key for key in counts if counts[key]), key=lambda key: -counts[key])
        return [(key, counts[key] / len(words)) for key in best[:DEPTH]]

    return search


def fts5(texts: Mapping[str, str], operator: str) -> Searcher:
    """Return a searcher over FTS5 with its default tokenizer and bm25, joining words by OR, or by AND as Engram does."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(key UNINDEXED, body, tokenize='unicode61')")
    database.executemany("INSERT INTO texts VALUES (?, ?)", texts.items())

    def search(question: str) -> list[tuple[str, float]]:
        if not (words := _WORD.findall(question)):
            return []
        match = f" {operator} ".join(f'"{word}"' for word in words)
        found = database.execute("SELECT key FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH))
        return [(key, 0.0) for (key,) in found]

    weakref.finalize(search, database.close)  # nobody else holds it
    return search


def ours(keys: Mapping[int, str]) -> Searcher:
    """Return MemDock's own search, entries only."""

    def search(question: str) -> list[tuple[str, float]]:
        hits = query.search(question, filters=ENTRIES, limit=DEPTH).items
        return [(keys[row(hit)], hit.relevance) for hit in hits]

    return search


def row(hit: Hit) -> int:
    """Return the primary key of the entry that was found."""
    return int(hit.ref.removeprefix("entry:"))


def everyone(corpus: Corpus) -> dict[str, Searcher]:
    return {
        "grep": grep(corpus.texts),
        "fts5 and": fts5(corpus.texts, "AND"),
        "fts5 or": fts5(corpus.texts, "OR"),
        "ours": ours(corpus.keys),
    }
