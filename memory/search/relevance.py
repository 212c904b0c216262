"""How sure it is that a hit answers the query at all: a number that means the same for every query."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is known of one hit.

    `coverage`: share of the question's weight (inverse document frequency) that the hit has, 0 to 1.
    `rarest_missing`: weight of the heaviest missing term, relative to the heaviest of the question, 0 to 1.
    `terms`: number of the question's terms that say something.
    `log_bm25`: logarithm of 1 + BM25.
    `gap`: share of its BM25 by which the hit is ahead of the next best one, less than 0 when it is not the best; -1 to 1.
    `is_paired`: whether the question is mostly Chinese, Japanese or Korean, where terms are pairs of characters.
    """

    coverage: float
    rarest_missing: float
    terms: int
    log_bm25: float
    gap: float
    is_paired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """The weights of a logistic regression over Features."""

    bias: float
    coverage: float
    rarest_missing: float
    terms: float
    log_bm25: float
    gap: float


# Fitted on the half to tune on of tests/bench/recall (`python -m tests.bench.recall --fit`); fit anew after a change of
# ranking. Pairs of characters straddle two words, so that a missing pair says less.
SPACED = Coefficients(bias=-6.888, coverage=2.671, rarest_missing=-2.198, terms=0.277, log_bm25=1.838, gap=1.817)
PAIRED = Coefficients(bias=-3.368, coverage=0.0, rarest_missing=-2.702, terms=-0.117, log_bm25=2.023, gap=2.673)
_MOST_TERMS = 12


def relevance(features: Features) -> float:
    """Return the probability, 0 to 1, that a hit with these features answers its query."""
    weights = PAIRED if features.is_paired else SPACED
    logit = (
        weights.bias
        + weights.coverage * features.coverage
        + weights.rarest_missing * features.rarest_missing
        + weights.terms * min(features.terms, _MOST_TERMS)
        + weights.log_bm25 * features.log_bm25
        + weights.gap * features.gap
    )
    return 1 / (1 + math.exp(-logit))
