"""What a query asks for, weighed against what the index holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from memory.search import backends, glossary
from memory.search.glossary import Phrase
from memory.search.tokens import Term, joined, leaves, query_terms

MOST_TERMS = 64
"""Terms of a question that are looked at, the rarest first."""
POSTINGS = 1000
"""Occurrences of a long question's terms that are scored; frequent terms beyond are left to the second look. With this and
the two below a search in 20,000 entries takes a fifth less than with 1500, 4000 and 1500; of 300 planted questions 271
instead of 272 have the answer in the first place, and all in the first five."""
POSTINGS_OF_SHORT = 2000
POSTINGS_OF_KIN = 500
"""The same for other words than the question's own."""
_SHORT = 3
_IN_PARTS = 0.75
"""How much of a name a text has that has all of its parts, but not the name."""
_IN_OTHER_WORDS = 0.8
"""How much of a term a text has that calls it by another word. MRR on the tune half of tests/bench/recall: .805 with 0.5,
.843 with 0.8, .835 with 1."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One term of a question; `weight` is its inverse document frequency, less for words that say little.

    `kin` are other words for it: a text that has all of a phrase has that share of the term.
    """

    term: Term
    weight: float
    kin: tuple[tuple[Phrase, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a text has of a question.

    `shares`: how much of each term, 0 to 1. `coverage`: the share of the question's weight, 0 to 1, and `literal` the same
    of terms that it has whole. `rarest_missing`: the weight of the heaviest term that is missing, relative to the heaviest
    of all, 0 to 1. `names`: the weight of the names that it has of those that words of the question make when they are
    written together.
    """

    shares: tuple[float, ...]
    coverage: float
    literal: float
    rarest_missing: float
    names: float


@dataclass(frozen=True, slots=True)
class Question:
    """The terms of a question, heaviest first; `frequency` and `weights` are by index term.

    `names` are those in the index that adjacent words of the question make. `index_terms` are all terms that mark a place
    in a text as found.
    """

    asked: tuple[Asked, ...] = ()
    frequency: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @property
    def telling(self) -> list[Asked]:
        """The terms that say something."""
        return [asked for asked in self.asked if asked.term.weight == 1]

    @property
    def own_terms(self) -> frozenset[str]:
        """The index terms of the question's own words."""
        return frozenset(name for asked in self.asked for name in asked.term.alternatives)

    @property
    def index_terms(self) -> frozenset[str]:
        """All index terms that mark a place in a text as found: other words for the same as well."""
        kin = (word for asked in self.asked for phrase, _ in asked.kin for word in phrase)
        return self.own_terms.union(self.names, kin)

    def look(self, words: frozenset[str]) -> Evidence:
        """Judge a text by the index terms that it has."""
        found = [(asked, self._share(asked, words)) for asked in self.asked]
        total = sum(asked.weight for asked in self.asked) or 1.0
        heaviest = max((asked.weight for asked in self.asked), default=0.0) or 1.0
        missing = (asked.weight for asked, share in found if share < _IN_PARTS)
        return Evidence(
            shares=tuple(share for _, share in found),
            coverage=sum(asked.weight * share for asked, share in found) / total,
            literal=sum(asked.weight for asked in self.asked if asked.term.text in words) / total,
            rarest_missing=max(missing, default=0.0) / heaviest,
            names=sum(self.weights[name] for name in self.names if name in words),
        )

    def scored(self) -> tuple[str, ...]:
        """Return the index terms to look for: all that occur, but frequent ones only while that stays cheap."""
        telling = {name for asked in self.telling for name in asked.term.alternatives}
        most = POSTINGS if len(self.telling) > _SHORT else POSTINGS_OF_SHORT
        own = self._cheap(telling, most) or self._cheap(self.own_terms, most)
        # All words of a phrase have to be there, so that it is found by the rarest of them.
        kin = {min(phrase, key=self.frequency.__getitem__) for asked in self.asked for phrase, _ in asked.kin}
        return (*own, *self._cheap(kin.difference(own), POSTINGS_OF_KIN))

    def _cheap(self, terms: Set[str], most: int) -> list[str]:
        """The rarest of the terms that occur, at least one."""
        chosen: list[str] = []
        postings = 0
        for term in sorted(terms & self.frequency.keys(), key=lambda term: (self.frequency[term], term)):
            postings += self.frequency[term]
            if chosen and postings > most:
                break
            chosen.append(term)
        return chosen

    def _share(self, asked: Asked, words: frozenset[str]) -> float:
        """How much of a term a text has, 0 to 1."""
        if asked.term.text in words:
            return 1.0
        found = sum(self.weights[part] for part in asked.term.parts if part in words)
        in_parts = _IN_PARTS * found / sum(self.weights[part] for part in asked.term.parts) if found else 0.0
        return max([in_parts, *(share for phrase, share in asked.kin if words.issuperset(phrase))])


def ask(text: str, *, documents: int) -> Question:
    """Weigh the terms of a text against an index of so many documents. One query.

    Words that say little are in most documents: counting them would cost more than all the others together.
    """
    terms = query_terms(text)
    if not terms:
        return Question()
    telling = [term for term in terms if term.weight == 1]
    kin, names = (glossary.relatives(leaves(text)), joined(text)) if telling else ({}, [])
    own = {name for term in telling or terms for name in term.alternatives}
    others = {word for phrases in kin.values() for phrase in phrases for word in phrase}
    frequency = backends.current().document_frequency(own.union(names, others))
    common = dict.fromkeys((term.text for term in terms if term.weight < 1), documents // 2)
    known = {**common, **frequency}
    weights = {name: _weight(known.get(name, 0), documents) for name in own.union(common, frequency)}
    asked = (_asked(term, kin.get(term.text, ()), frequency, weights) for term in terms)
    ordered = sorted(asked, key=lambda one: -one.weight)[:MOST_TERMS]
    return Question(tuple(ordered), frequency, weights, tuple(name for name in names if name in frequency))


def _asked(term: Term, phrases: Iterable[Phrase], frequency: Mapping[str, int], weights: Mapping[str, float]) -> Asked:
    if term.weight < 1:
        return Asked(term, weights[term.text] * term.weight)
    weight = weights[term.text]
    if term.parts and term.text not in frequency:  # nobody wrote the name: it says as much as its rarest part
        weight = max(weights[part] for part in term.parts)
    written = [phrase for phrase in phrases if all(word in frequency for word in phrase)]
    # Another word that is more frequent than the own one says less.
    return Asked(term, weight, tuple((one, _IN_OTHER_WORDS * _ratio(one, weight, weights)) for one in written))


def _ratio(phrase: Phrase, weight: float, weights: Mapping[str, float]) -> float:
    return min(1.0, sum(weights[word] for word in phrase) / weight) if weight else 1.0


def _weight(frequency: int, documents: int) -> float:
    return math.log(1 + (max(documents - frequency, 0) + 0.5) / (frequency + 0.5))
