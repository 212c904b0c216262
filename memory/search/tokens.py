"""The one tokenizer of index and query: text in, terms out.

A term is made of letters, digits and `_` only, folded (NFKC, case, accents). Names are found whole and in parts:
`src/lease_manager.ts` gives `src_lease_manager_ts`, `lease_manager_ts`, `lease_manager`, `src`, `lease`, `manager`,
`ts`. Chinese, Japanese and Korean run on without blanks or with endings, and are cut into pairs of characters; each
character alone is in the index as well, for queries of one character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Self

from memory.search.cleaning import clean
from memory.search.stemming import stem
from memory.search.stopwords import STOP_WORDS

LONGEST = 100
"""Characters of a term; what is longer is data, and found by its start."""
STOP_WEIGHT = 0.15

_PAIRED = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_LETTERS = rf"[^\W{_PAIRED}][^\W{_PAIRED}\u0300-\u036f]*+[\u0300-\u036f]*+"
_RUN = re.compile(rf"[{_PAIRED}]+|(?:{_LETTERS})+(?:[-./\\:@#+]{{1,3}}(?:{_LETTERS})+)*")
_IS_PAIRED = re.compile(rf"[{_PAIRED}]")
_PIECE = re.compile(r"[^\W_]+")
_PATH_SIGN = re.compile(r"[/\\]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CACHED_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that is asked for: a text that has `text` has it all, one that has some of `parts` has some of it.

    `weight` (0 to 1) is how much it says: words such as `the` say little.
    """

    text: str
    parts: tuple[str, ...] = ()
    weight: float = 1.0

    @property
    def alternatives(self) -> tuple[str, ...]:
        """Every index term by which this one is found."""
        return (self.text, *self.parts)


@dataclass(frozen=True, slots=True)
class Span:
    """Where in a text an index term comes from."""

    start: int
    end: int
    term: str


@dataclass(frozen=True, slots=True)
class _Analysis:
    """The terms of one run of characters; `wholes` starts with the whole name, `singles` are for the index only."""

    wholes: tuple[str, ...]
    leaves: tuple[str, ...]
    singles: tuple[str, ...]
    terms: tuple[str, ...]

    @classmethod
    def of(cls, *, wholes: tuple[str, ...] = (), leaves: tuple[str, ...], singles: tuple[str, ...] = ()) -> Self:
        return cls(wholes, leaves, singles, (*wholes, *leaves, *singles))


def terms(text: str) -> list[str]:
    """Return the terms by which a text is found, repeated as often as they occur."""
    found: list[str] = []
    for run in _RUN.findall(clean(text)):
        found += _analyse(run).terms
    return found


def query_terms(text: str) -> list[Term]:
    """Return what a text asks for: distinct terms in their order, names with their parts."""
    found: dict[str, Term] = {}
    for run in _RUN.findall(clean(text)):
        for term in _asked(_analyse(run)):
            found.setdefault(term.text, term)
    return list(found.values())


def leaves(text: str) -> list[str]:
    """Return the smallest terms of a text in their order, repeated as often as they occur."""
    return [leaf for run in _RUN.findall(clean(text)) for leaf in _analyse(run).leaves]


def joined(text: str, *, most: int = 3) -> list[str]:
    """Return the names that words of a text make when they are written together, `most` words at the most.

    `tide tables` gives `tide_tables`, `tide_table` and `tidetabl`, by which tide-tables, tide_table and TideTable are found.
    Nobody gives names that have words such as `the`.
    """
    runs = (run for run in _RUN.findall(clean(text)) if not is_paired(run))
    words = [_letters(piece) for run in runs for piece in _pieces(run)]
    sizes = range(2, most + 1)
    names = [words[start : start + size] for size in sizes for start in range(len(words) - size + 1)]
    telling = [name for name in names if STOP_WORDS.isdisjoint(name)]
    return list(dict.fromkeys(form for name in telling for form in _written(name)))


def _written(name: list[str]) -> tuple[str, ...]:
    apart = "_".join(name)[:LONGEST]
    return apart, apart.removesuffix("s"), _leaf("".join(name))


def spans(text: str, wanted: frozenset[str]) -> Iterator[Span]:
    """Yield the places of a cleaned text where wanted index terms are, in order; pairs of characters overlap."""
    for run in _RUN.finditer(text):
        analysis = _analyse(run[0])
        if wanted.isdisjoint(analysis.terms):
            continue
        if len(analysis.singles) == run.end() - run.start():
            yield from _characters(analysis, run.start(), wanted)
        else:
            yield Span(run.start(), run.end(), next(term for term in analysis.terms if term in wanted))


def fold(text: str) -> str:
    """Return a text by which spellings are compared: NFKC, without case and accents."""
    if text.isascii():
        return text.lower()
    split = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(character for character in split if not unicodedata.combining(character))
    return unicodedata.normalize("NFKC", bare).casefold()


def _characters(analysis: _Analysis, start: int, wanted: frozenset[str]) -> Iterator[Span]:
    """The places of pairs, and of single characters that are asked for."""
    for index, single in enumerate(analysis.singles):
        pair = analysis.leaves[index] if index < len(analysis.leaves) else ""
        if pair in wanted:
            yield Span(start + index, start + index + 2, pair)
        elif single in wanted:
            yield Span(start + index, start + index + 1, single)


def _asked(analysis: _Analysis) -> Iterator[Term]:
    if analysis.wholes:
        yield Term(analysis.wholes[0], analysis.leaves)
    else:
        for leaf in analysis.leaves:
            yield Term(leaf, weight=STOP_WEIGHT if leaf in STOP_WORDS else 1.0)


def _analyse(run: str) -> _Analysis:
    return _analyse_short(run) if len(run) <= _CACHED_LENGTH else _analyse_run(run)


def _analyse_run(run: str) -> _Analysis:
    return _pairs(run) if _IS_PAIRED.match(run) else _name(run)


_analyse_short = lru_cache(maxsize=1 << 16)(_analyse_run)


def _pairs(run: str) -> _Analysis:
    characters = tuple("".join(_PIECE.findall(fold(run))))
    if len(characters) < 2:
        return _Analysis.of(leaves=characters)
    return _Analysis.of(leaves=tuple(map("".join, pairwise(characters))), singles=characters)


def _name(run: str) -> _Analysis:
    segments = [_pieces(segment) for segment in _PATH_SIGN.split(run)]
    pieces = [piece for segment in segments for piece in segment]
    humps = [hump for piece in pieces for hump in _humps(piece)]
    leaves = tuple(dict.fromkeys(_leaf(hump) for hump in humps))
    if len(humps) < 2:
        return _Analysis.of(leaves=leaves)
    return _Analysis.of(wholes=tuple(dict.fromkeys(_wholes(segments, pieces))), leaves=leaves)


def _pieces(segment: str) -> list[str]:
    return _PIECE.findall(segment if segment.isascii() else unicodedata.normalize("NFKC", segment))


def _humps(piece: str) -> list[str]:
    """Split camelCase; a piece without humps is its own only one."""
    if piece.islower() or piece.isupper():
        return [piece]
    return _HUMP.split(piece)


def _wholes(segments: list[list[str]], pieces: list[str]) -> Iterator[str]:
    yield _whole(pieces)
    for segment in segments if len(segments) > 1 else ():
        if len(segment) > 1:
            yield _whole(segment)
    if len(segments[-1]) > 2:  # a file's name without its ending
        yield _whole(segments[-1][:-1])


def _whole(pieces: list[str]) -> str:
    """One name, as it is; of camelCase a word as others would write it in one, `keyError` as `keyerror`."""
    if len(pieces) == 1:
        return _leaf(pieces[0])
    return "_".join(filter(None, map(_letters, pieces)))[:LONGEST]


def _leaf(hump: str) -> str:
    word = _letters(hump)[:LONGEST]
    return word if word in STOP_WORDS else stem(word)


def _letters(piece: str) -> str:
    folded = fold(piece)
    return folded if folded.isalnum() else "".join(_PIECE.findall(folded))


def is_paired(term: str) -> bool:
    """Tell whether a term is of a script that is cut into pairs of characters."""
    return _IS_PAIRED.match(term) is not None
