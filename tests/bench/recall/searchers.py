"""Who answers: grep, plain FTS5 as others use it, and ours: by words, by meaning and by both."""

from __future__ import annotations

import os
import re
import sqlite3
import weakref
from collections.abc import Callable, Mapping

from memory.models import SearchVectors
from memory.search import meaning, query
from memory.search.embed import passages
from memory.search.embed.bundled import WordLlamaEmbedder
from memory.search.types import Filters, Hit
from tests.bench.recall.corpora import Corpus

type Searcher = Callable[[str], list[tuple[str, float]]]
"""From a question to the keys of entries, best first, each with its relevance (0 to 1, or 0 where there is none)."""

DEPTH = 20
ENTRIES = Filters(kind="entry")
"""The labels are of entries."""

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


def ours(keys: Mapping[int, str], filters: Filters = ENTRIES, *, embedding: str = "wordllama") -> Searcher:
    """Return MemDock's own search with one of the values of MEMDOCK_EMBEDDING."""

    def search(question: str) -> list[tuple[str, float]]:
        if os.environ.get("MEMDOCK_EMBEDDING") != embedding:
            os.environ["MEMDOCK_EMBEDDING"] = embedding
            meaning.reset()
            meaning.warm()
        hits = query.search(question, filters=filters, limit=DEPTH).items
        return [(keys[row(hit)] if hit.kind == "entry" else hit.ref, hit.relevance) for hit in hits]

    return search


def meant(keys: Mapping[int, str]) -> Searcher:
    """Return a searcher by meaning alone: the nearest lines of all entries, by the bundled embedder."""
    embedder = WordLlamaEmbedder()
    kept = SearchVectors.objects.filter(document__kind="entry", model=embedder.name).order_by("pk")
    found = [
        (keys[int(ref.removeprefix("entry:"))], bytes(lines))
        for ref, lines in kept.values_list("document__ref", "lines")
    ]

    def search(question: str) -> list[tuple[str, float]]:
        near = passages.nearest(embedder.embed([question])[0], [lines for _, lines in found])
        best = sorted(zip(near, found, strict=True), key=lambda one: -one[0])[:DEPTH]
        return [(key, nearness) for nearness, (key, _) in best]

    return search


def row(hit: Hit) -> int:
    """Return the primary key of the entry that was found."""
    return int(hit.ref.removeprefix("entry:"))


def everyone(corpus: Corpus) -> dict[str, Searcher]:
    return {
        "grep": grep(corpus.texts),
        "fts5 and": fts5(corpus.texts, "AND"),
        "fts5 or": fts5(corpus.texts, "OR"),
        "words": ours(corpus.keys, embedding="none"),
        "meaning": meant(corpus.keys),
        "both": ours(corpus.keys),
        "both, all kinds": ours(corpus.keys, Filters()),
    }
