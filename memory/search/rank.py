"""Puts candidates into their final order: by words, by meaning, and by small boosts for what neither sees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from statistics import fmean

from memory.models import SearchDocument
from memory.search.backends.base import K1, NOWHERE, TITLE_WEIGHT, B, Places
from memory.search.question import Question
from memory.search.relevance import Features
from memory.search.tokens import is_paired

# Chosen on the tune half of tests/bench/recall, by MRR.
_NAME = 0.5
"""What a name counts for that words of the question make, beside its words: .821 with 0, .833 with 0.25, .843 with 0.5."""
_NEAREST = 1.5
"""What the nearest line counts for beside the best score by words, for a question in Latin script: .795 with 0, .838 with
1, .843 with 1.5, .828 with 2.5."""
_SMOOTH = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""

# Shares by which a score grows; together they change places only among hits that are close.
_PINNED = 0.10
_RECENT = 0.06
_MONTH = 30 * 24 * 3600

_KINDS = {"session": 0.7}
"""Shares that a kind keeps of its score: a session is known by the title of its first entry, which itself says more. Where
all kinds are asked for, the right entry comes first for 50 % of the questions with 1, for 76 % with 0.7."""


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
        self._weights = [asked.weight for asked in question.asked]
        self._terms = len(question.telling)
        self._latin = _share_of_latin(" ".join(asked.term.text for asked in question.asked))
        self._is_paired = sum(is_paired(asked.term.text) for asked in question.telling) * 2 > self._terms

    def by_words(self, rows: Sequence[SearchDocument], places: Mapping[int, Places]) -> list[Candidate]:
        """Return documents as candidates, the best by words first; what is equal keeps its order."""
        length = fmean(row.length for row in rows) if rows else 0.0
        scores = [self._score(row, places.get(row.pk, NOWHERE), length or 1.0) for row in rows]
        best = sorted(scores, reverse=True)[:2]
        found = [
            self._candidate(row, score, places.get(row.pk, NOWHERE), best)
            for row, score in zip(rows, scores, strict=True)
        ]
        return sorted(found, key=lambda candidate: -candidate.score)

    def mixed(self, found: Sequence[Candidate], nearest: Mapping[int, float]) -> list[Candidate]:
        """Add to the scores how near each document's nearest line is, for an embedder that cannot rank alone."""
        highest = max((one.score for one in found), default=0.0) or 1.0
        mixed = [self._mixed(one, highest, nearest.get(one.document.pk, 0.0)) for one in found]
        return sorted(mixed, key=lambda candidate: -candidate.score)

    def _mixed(self, one: Candidate, highest: float, near: float) -> Candidate:
        meant = _NEAREST * self._latin * near * _kind(one.document)
        return replace(one, nearest=near, score=one.score / highest + meant)

    def fused(
        self, found: Sequence[Candidate], order: Sequence[int], nearest: Mapping[int, float] | None = None
    ) -> list[Candidate]:
        """Fuse the order of what was found with another one (ids, the best first), by reciprocal ranks.

        Who has no score has no place among what was found.
        """
        other = {pk: place for place, pk in enumerate(order, 1)}
        fused = [
            replace(one, nearest=(nearest or {}).get(pk, 0.0), score=_reciprocal(own) + _reciprocal(other.get(pk, 0)))
            for place, one in enumerate(found, 1)
            for pk, own in ((one.document.pk, place if one.score else 0),)
        ]
        return sorted(fused, key=lambda candidate: -candidate.score)

    def _score(self, row: SearchDocument, places: Places, length: float) -> float:
        """BM25 of what is there of each term, once or in the title as well."""
        pivot = K1 * (1 - B + B * row.length / length)
        once, titled = ((K1 + 1) * count / (count + pivot) for count in (1, 1 + TITLE_WEIGHT))
        evidence, title = self._look(places.title | places.body), self._look(places.title)
        score = _NAME * once * evidence.names
        for weight, share, in_title in zip(self._weights, evidence.shares, title.shares, strict=True):
            score += weight * (once * share + (titled - once) * in_title)
        return score * _kind(row) * (1 + _PINNED * row.is_pinned + _RECENT * _recency(row.when, self._at))

    def _candidate(self, row: SearchDocument, score: float, places: Places, best: list[float]) -> Candidate:
        evidence = self._look(places.title | places.body)
        features = Features(
            coverage=evidence.coverage,
            literal=evidence.literal,
            rarest_missing=evidence.rarest_missing,
            terms=self._terms,
            log_score=math.log1p(score),
            gap=_gap(score, best),
            is_first=False,
            is_paired=self._is_paired,
        )
        return Candidate(document=row, score=score, features=features)


def _kind(row: SearchDocument) -> float:
    return _KINDS.get(row.kind, 1.0)


def _share_of_latin(text: str) -> float:
    return len(text.encode("ascii", "ignore")) / len(text) if text else 0.0


def _reciprocal(place: int) -> float:
    return 1 / (_SMOOTH + place) if place else 0.0


def _gap(score: float, best: list[float]) -> float:
    if score <= 0 or len(best) < 2:
        return 0.0
    rival = best[1] if score >= best[0] else best[0]
    return max(-1.0, 1 - rival / score)


def _recency(when: datetime, at: datetime) -> float:
    """1 for now, a half after a month (Engram's curve)."""
    return 1 / (1 + max(0.0, (at - when).total_seconds()) / _MONTH)
