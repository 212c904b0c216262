"""Relevance in words: how sure it is that a hit answers the query at all."""

from __future__ import annotations

WEAK = 0.4
"""Below this a hit is shown, and told nobody. On the tune half of tests/bench/recall, cross-validated, no question about a
foreign subject and 16 % of all unanswerable ones get a hit above it; 85 % of right first hits are."""

_WORDS = ((0.8, "strong"), (0.6, "likely"), (WEAK, "fair"), (0.0, "weak"))


def level(relevance: float) -> int:
    """Return 4 for a strong hit down to 1 for a weak one."""
    return next((len(_WORDS) - place for place, (least, _) in enumerate(_WORDS) if relevance >= least), 1)


def word(relevance: float) -> str:
    """Return strong, likely, fair or weak."""
    return _WORDS[len(_WORDS) - level(relevance)][1]
