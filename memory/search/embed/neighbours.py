"""Near-synonyms: which words of the index mean nearly what a word of the query means."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from memory.search.embed.types import Embedder

SHORTEST = 3
NEAREST = 0.5
"""Least cosine of a near-synonym; with it, four neighbours at .35 of a word's weight helped tests/bench/recall."""


class Neighbours:
    """A vocabulary as vectors, searched exactly."""

    def __init__(self, vocabulary: Iterable[str], embedder: Embedder) -> None:
        """Embed the words that are plain Latin ones. Raises Unavailable."""
        self._embedder = embedder
        self._words = [word for word in dict.fromkeys(vocabulary) if is_plain(word)]
        self._vectors = embedder.embed(self._words)

    def of(self, word: str, k: int, *, nearest: float = NEAREST) -> list[tuple[str, float]]:
        """Return at most `k` other words with their cosines, from `nearest` to 1, best first."""
        if not self._words or not is_plain(word):
            return []
        cosines = self._vectors @ self._embedder.embed([word])[0]
        order = np.argsort(-cosines, kind="stable")[: k + 1]
        found = [(self._words[index], float(cosines[index])) for index in order if cosines[index] >= nearest]
        return [(other, min(weight, 1.0)) for other, weight in found if other != word][:k]


def is_plain(word: str) -> bool:
    """Tell whether a word is one that the model can know: Latin letters only, and not an abbreviation."""
    return len(word) >= SHORTEST and word.isalpha() and word.isascii()
