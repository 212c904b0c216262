"""How sure it is that a hit answers the query at all: a number that means the same for every query."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is known of one hit.

    `coverage`: share of the question's weight (inverse document frequency) that the hit has, 0 to 1; `literal`: the same
    in the question's own words, whole.
    `rarest_missing`: weight of the heaviest missing term, relative to the heaviest of the question, 0 to 1.
    `terms`: number of the question's terms that say something.
    `log_score`: logarithm of 1 + the score by words.
    `gap`: share of its score by which the hit is ahead of the next best one, less than 0 when it is not the best; -1 to 1.
    `is_first`: whether it is the first hit of all.
    `is_paired`: whether the question is mostly Chinese, Japanese or Korean, where terms are pairs of characters.
    """

    coverage: float
    literal: float
    rarest_missing: float
    terms: int
    log_score: float
    gap: float
    is_first: bool
    is_paired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """The weights of a logistic regression over Features."""

    bias: float
    literal: float
    rarest_missing: float
    terms: float
    log_score: float
    gap: float
    is_first: float


# Fitted on the half to tune on of tests/bench/recall (`python -m tests.bench.recall --fit`); fit anew after a change of
# ranking. Pairs of characters straddle two words, so that a missing pair says less.
SPACED = Coefficients(
    bias=-4.194, literal=-1.387, rarest_missing=-4.176, terms=0.073, log_score=2.15, gap=1.263, is_first=1.752
)
PAIRED = Coefficients(
    bias=-5.294, literal=2.367, rarest_missing=-0.771, terms=0.008, log_score=0.973, gap=0.27, is_first=1.939
)
_MOST_TERMS = 12


def relevance(features: Features) -> float:
    """Return the probability, 0 to 1, that a hit with these features answers its query."""
    weights = PAIRED if features.is_paired else SPACED
    logit = (
        weights.bias
        + weights.literal * features.literal
        + weights.rarest_missing * features.rarest_missing
        + weights.terms * min(features.terms, _MOST_TERMS)
        + weights.log_score * features.log_score
        + weights.gap * features.gap
        + weights.is_first * features.is_first
    )
    return 1 / (1 + math.exp(-logit))
