"""Brings the forms of an English word together: plural, -ing, -ed and a silent e; small on purpose.

Only index and query ever see a stem, so that it need not be a word: `caches`, `cached` and `caching` are all `cach`.
"""

from __future__ import annotations

import re

_SHORTEST = 4
_VOWEL = re.compile("[aeiouy]")
_DOUBLE = re.compile(r"([bcdfghjklmnpqrstvwxz])\1$")
_SIBILANT = ("ches", "shes", "sses", "xes", "zes")
_KEPT = frozenset({"embed", "feed", "need", "seed", "shed", "sled", "speed", "exceed", "proceed", "always", "redis"})
"""Words that only look like a form of another one."""


def stem(word: str) -> str:
    """Return the stem of a case-folded word; anything but ASCII letters comes back as it is. Never empty."""
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha() or word in _KEPT:
        return word
    return _bare(_without_ending(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _SHORTEST:
        return f"{word[:-3]}y"
    if word.endswith(_SIBILANT):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_ending(word: str) -> str:
    if word in _KEPT:
        return word
    if word.endswith("ied") and len(word) > _SHORTEST:
        return f"{word[:-3]}y"
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest) and not word.endswith("eed"):
            return rest
    return word


def _bare(word: str) -> str:
    """Drop a silent e and one of two equal consonants: `release` meets `releas(ing)`, `stop` meets `stopp(ed)`."""
    if word.endswith("e") and len(word) >= _SHORTEST:
        word = word[:-1]
    return word[:-1] if len(word) > 3 and _DOUBLE.search(word) else word
