"""What a query asks for, weighed against what the index holds."""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass

from memory.search import backends
from memory.search.tokens import Term, query_terms

MOST_TERMS = 64
"""Terms of a question that are looked at, the rarest first."""
POSTINGS = 1500
"""Occurrences of a long question's terms that are scored; frequent terms beyond are left to the second look."""
POSTINGS_OF_SHORT = 4000
_SHORT = 3
_IN_PARTS = 0.75
"""How much of a name a text has that has all of its parts, but not the name."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One term of a question; `weight` is its inverse document frequency, less for words that say little."""

    term: Term
    weight: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a text has of a question.

    `coverage`: the share of the question's weight. `rarest_missing`: the weight of the heaviest term that is missing,
    relative to the heaviest of all. `names`: the share of the names asked for that are there whole. All 0 to 1.
    """

    coverage: float
    rarest_missing: float
    names: float


@dataclass(frozen=True, slots=True)
class Question:
    """The terms of a question, heaviest first; `frequency` and `weights` are by index term.

    `index_terms` are all those that mark a place in a text as found.
    """

    asked: tuple[Asked, ...]
    frequency: dict[str, int]
    weights: dict[str, float]
    index_terms: frozenset[str]

    @property
    def telling(self) -> list[Asked]:
        """The terms that say something."""
        return [asked for asked in self.asked if asked.term.weight == 1]

    def look(self, words: Set[str]) -> Evidence:
        """Judge a text by the index terms that it has."""
        total = sum(asked.weight for asked in self.asked)
        heaviest = max((asked.weight for asked in self.asked), default=0.0)
        if not total:
            return Evidence(0.0, 0.0, 0.0)
        found = [(asked, self._share(asked.term, words)) for asked in self.asked]
        missing = (asked.weight for asked, share in found if share < _IN_PARTS)
        names = [share == 1 for asked, share in found if asked.term.parts]
        return Evidence(
            coverage=sum(asked.weight * share for asked, share in found) / total,
            rarest_missing=max(missing, default=0.0) / heaviest,
            names=sum(names) / len(names) if names else 0.0,
        )

    def scored(self) -> tuple[str, ...]:
        """Return the index terms to look for: all that occur, but frequent ones only while that stays cheap."""
        telling = {name for asked in self.telling for name in asked.term.alternatives}
        most = POSTINGS if len(self.telling) > _SHORT else POSTINGS_OF_SHORT
        known = sorted(self.index_terms & self.frequency.keys(), key=lambda term: (self.frequency[term], term))
        chosen: list[str] = []
        postings = 0
        for term in [term for term in known if term in telling] or known:
            postings += self.frequency[term]
            if chosen and postings > most:
                break
            chosen.append(term)
        return tuple(chosen)

    def _share(self, term: Term, words: Set[str]) -> float:
        """How much of a term a text has, 0 to 1."""
        if term.text in words:
            return 1.0
        found = sum(self.weights[part] for part in term.parts if part in words)
        return _IN_PARTS * found / sum(self.weights[part] for part in term.parts) if found else 0.0


def ask(text: str, *, documents: int) -> Question:
    """Weigh the terms of a text against an index of so many documents. One query.

    Words that say little are in most documents: counting them would cost more than all the others together.
    """
    terms = query_terms(text)
    if not terms:
        return Question((), {}, {}, frozenset())
    counted = [term for term in terms if term.weight == 1] or terms
    frequency = backends.current().document_frequency({name for term in counted for name in term.alternatives})
    common = dict.fromkeys((term.text for term in terms if term.weight < 1), documents // 2)
    known = {**common, **frequency}
    weights = {name: _weight(known.get(name, 0), documents) for term in terms for name in term.alternatives}
    asked = sorted(
        (Asked(term, _asked_weight(term, frequency, weights)) for term in terms), key=lambda one: -one.weight
    )
    asked = asked[:MOST_TERMS]
    return Question(
        tuple(asked), frequency, weights, frozenset(name for one in asked for name in one.term.alternatives)
    )


def _asked_weight(term: Term, frequency: dict[str, int], weights: dict[str, float]) -> float:
    if term.parts and term.text not in frequency:  # nobody wrote the name: it says as much as its rarest part
        return max(weights[part] for part in term.parts)
    return weights[term.text] * term.weight


def _weight(frequency: int, documents: int) -> float:
    return math.log(1 + (max(documents - frequency, 0) + 0.5) / (frequency + 0.5))
