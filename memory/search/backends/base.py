"""What a text index has to be able to do; both rank by the same BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from memory.search.types import Sort

TITLE_WEIGHT = 3.0
"""How often a word in a title counts as one in the text."""
K1 = 1.2
B = 0.75
"""BM25's constants; those that SQLite's bm25() has built in."""


@dataclass(frozen=True, slots=True)
class Words:
    """The index terms of one document, by the document's primary key."""

    document_id: int
    title: Sequence[str]
    body: Sequence[str]


@dataclass(frozen=True, slots=True)
class Places:
    """Which of some index terms a document has, in its title and in its text."""

    title: frozenset[str]
    body: frozenset[str]


NOWHERE = Places(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on the rows of SearchDocument as SQL over the alias `d`, with its parameters."""

    sql: str = ""
    parameters: tuple[object, ...] = ()

    def joined(self, before: str) -> str:
        """Return the condition behind `WHERE` or `AND`; nothing when there is none."""
        return f" {before} {self.sql}" if self.sql else ""


@dataclass(frozen=True, slots=True)
class Match:
    """What a document's words have to be: one of `any`, each of `all`, and no group of `none` as a whole.

    Without `any` and `all` every document matches that no group of `none` forbids. `text` is the question as it was
    asked, for a backend that understands more than words.
    """

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    none: tuple[tuple[str, ...], ...] = ()
    where: Where = Where()
    text: str = ""

    @property
    def has_words(self) -> bool:
        """Tell whether anything is looked for, and not only left out."""
        return bool(self.any or self.all)


type Facet = Literal["project", "kind", "type", "platform"]
type FacetRow = tuple[int, str, str, str, int]
"""project id, kind, type, platform, number of documents"""


class Backend(Protocol):
    """Keeps words. The caller holds the transaction."""

    def write(self, documents: Sequence[Words]) -> None:
        """Keep the words of documents instead of what was kept of them."""

    def remove(self, document_ids: Iterable[int]) -> None:
        """Forget the words of documents; unknown ones do no harm."""

    def clear(self) -> None:
        """Forget everything."""

    def candidates(self, match: Match, *, sort: Sort, limit: int) -> list[tuple[int, float]]:
        """Return the best (or newest) matches as (document id, BM25), the greater the better; ties newest first."""

    def facets(self, match: Match, *, limit: int) -> list[FacetRow]:
        """Count matches by their facts, `limit` documents at most."""

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many documents each term is; terms that are nowhere are left out."""

    def places(self, document_ids: Iterable[int], terms: frozenset[str]) -> dict[int, Places]:
        """Return which of the terms documents have."""

    def document_ids(self) -> set[int]:
        """Return the ids of all documents whose words are kept."""
