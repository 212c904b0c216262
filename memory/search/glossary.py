"""A bridge for those who ask in another language, or in other words, than was written: what means about the same.

It is made of ordinary words of software work (concepts.txt), not of any journal's. On the held-out half of
tests/bench/recall R@5 of questions in another language than the entry is .27 without and .59 with it, of all .83 and .85.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from memory.search.stopwords import STOP_WORDS
from memory.search.tokens import leaves

type Phrase = tuple[str, ...]
"""Index terms that follow one another: a word, or a few."""

_LONGEST = 6
"""Terms of a phrase that is recognised; Chinese words of five characters are four pairs."""
_CONCEPTS = Path(__file__).with_name("concepts.txt")


def relatives(words: Sequence[str]) -> dict[str, list[Phrase]]:
    """Return for each of the words (index terms in the order of a question) what others call it.

    A phrase of several words gives each of them what the whole is called.
    """
    found: dict[str, dict[Phrase, None]] = defaultdict(dict)
    for phrase in _phrases(words):
        for other in _index().get(phrase, ()):
            for word in phrase:
                found[word][other] = None
    return {word: list(others) for word, others in found.items()}


def _phrases(words: Sequence[str]) -> Iterator[Phrase]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
            yield tuple(words[start:end])


@cache
def _index() -> dict[Phrase, tuple[Phrase, ...]]:
    """What each phrase may be called instead; words that say little are in too many texts to be found by."""
    others: dict[Phrase, dict[Phrase, None]] = defaultdict(dict)
    for concept in _concepts():
        telling = [phrase for phrase in concept if STOP_WORDS.isdisjoint(phrase)]
        for phrase in concept:
            others[phrase].update(dict.fromkeys(one for one in telling if one != phrase))
    return {phrase: tuple(found) for phrase, found in others.items() if len(phrase) > 1 or phrase[0] not in STOP_WORDS}


def _concepts() -> Iterator[list[Phrase]]:
    for line in _CONCEPTS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            phrases = (tuple(leaves(text)) for text in line.split(","))
            yield [phrase for phrase in dict.fromkeys(phrases) if phrase]
