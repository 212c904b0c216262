"""What is asked and what is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

type Sort = Literal["relevance", "time"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit has to be; an empty field asks for nothing. Days are local and inclusive."""

    project: str = ""
    kind: str = ""
    type: str = ""
    platform: str = ""
    session: str = ""
    since: date | None = None
    until: date | None = None
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: `words` is what is left of the text once phrases, exclusions and filters are taken out."""

    text: str
    words: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Why:
    """How much words and meaning each say for a hit, 0 to 1."""

    lexical: float
    semantic: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found.

    `snippet` is HTML-escaped text with `<mark>` as its only tag. `score` orders; `relevance` (0 to 1) says how sure it is
    that the hit answers the query at all, and is comparable between queries.
    """

    ref: str
    kind: str
    project: str
    title: str
    snippet: str
    when: datetime
    session: str
    type: str
    platform: str
    score: float
    relevance: float
    why: Why


@dataclass(frozen=True, slots=True)
class Results:
    """A page of hits; `total` and `facets` count all of them, `hint` explains when there are none."""

    query: Query
    total: int
    took_ms: float
    facets: dict[str, dict[str, int]]
    items: list[Hit]
    next: str
    hint: str = ""
