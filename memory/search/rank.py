"""Puts candidates into their final order: BM25, and small boosts for what BM25 does not see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from memory.models import SearchDocument
from memory.search.backends.base import NOWHERE, Places
from memory.search.question import Question
from memory.search.relevance import Features
from memory.search.tokens import is_paired

# Shares by which a score grows; together they change places only among hits that are close.
_UNCOVERED = 0.4
_NAME = 0.25
_TITLE = 0.15
_PINNED = 0.10
_RECENT = 0.06
_NEAREST = 1.8
"""What the nearest line counts for beside the best score by words, for a question in Latin script."""
_MONTH = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A document with its score, and the features by which its relevance is judged."""

    document: SearchDocument
    score: float
    features: Features
    nearest: float = 0.0


class Ranking:
    """Ranks the documents of one question; remembers what it made of equal evidence."""

    def __init__(self, question: Question, *, at: datetime) -> None:
        self._at = at
        self._look = cache(question.look)
        self._terms = len(question.telling)
        self._latin = _share_of_latin(question)
        self._is_paired = sum(is_paired(asked.term.text) for asked in question.telling) * 2 > self._terms

    def order(
        self,
        found: Sequence[tuple[SearchDocument, float]],
        places: dict[int, Places],
        nearest: dict[int, float] | None = None,
    ) -> list[Candidate]:
        """Return documents with their BM25 as candidates, the best first; what is equal keeps its order.

        `nearest` says how near a document's nearest line is in meaning (see memory.search.meaning).
        """
        best = sorted((bm25 for _, bm25 in found), reverse=True)[:2]
        ranked = [self._candidate(row, bm25, places.get(row.pk, NOWHERE), best) for row, bm25 in found]
        if nearest:
            ranked = self._with_meaning(ranked, nearest)
        return sorted(ranked, key=lambda candidate: -candidate.score)

    def _with_meaning(self, ranked: list[Candidate], nearest: dict[int, float]) -> list[Candidate]:
        highest = max((candidate.score for candidate in ranked), default=0.0) or 1.0
        return [
            replace(one, nearest=near, score=one.score / highest + _NEAREST * self._latin * near)
            for one in ranked
            for near in (nearest.get(one.document.pk, 0.0),)
        ]

    def _candidate(self, row: SearchDocument, bm25: float, places: Places, best: list[float]) -> Candidate:
        evidence = self._look(places.title | places.body)
        boost = (
            _NAME * evidence.names
            + _TITLE * self._look(places.title).coverage
            + _PINNED * row.is_pinned
            + _RECENT * _recency(row.when, self._at)
        )
        features = Features(
            coverage=evidence.coverage,
            rarest_missing=evidence.rarest_missing,
            terms=self._terms,
            log_bm25=math.log1p(max(bm25, 0.0)),
            gap=_gap(bm25, best),
            is_paired=self._is_paired,
        )
        score = bm25 * (1 - _UNCOVERED * (1 - evidence.coverage)) * (1 + boost)
        return Candidate(document=row, score=score, features=features)


def _share_of_latin(question: Question) -> float:
    """The bundled embedder knows little else."""
    letters = [character for asked in question.asked for character in asked.term.text if character.isalpha()]
    return sum(character.isascii() for character in letters) / len(letters) if letters else 0.0


def _gap(bm25: float, best: list[float]) -> float:
    if bm25 <= 0 or len(best) < 2:
        return 0.0
    rival = best[1] if bm25 >= best[0] else best[0]
    return max(-1.0, 1 - rival / bm25)


def _recency(when: datetime, at: datetime) -> float:
    """1 for now, a half after a month (Engram's curve)."""
    return 1 / (1 + max(0.0, (at - when).total_seconds()) / _MONTH)
