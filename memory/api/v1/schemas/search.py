"""What a search finds as JSON."""

from __future__ import annotations

from typing import Self

from ninja import Schema
from pydantic import Field

from memory.api.v1.schemas.common import Moment
from memory.search import types


class Why(Schema):
    """How much words and meaning each say for a hit, 0 to 1."""

    lexical: float
    semantic: float


class Hit(Schema):
    """One thing that was found."""

    ref: str = Field(examples=["entry:12"])
    kind: str = Field(examples=["entry"])
    project: str
    title: str
    snippet: str = Field(description="HTML-escaped text with `<mark>` as its only tag.")
    when: Moment
    session: str = Field(description="Key of the session; empty where there is none.")
    type: str
    platform: str
    score: float = Field(description="Orders the hits of one query.")
    relevance: float = Field(
        description="How sure it is that the hit answers the query at all, 0 to 1; comparable between queries."
    )
    why: Why

    @classmethod
    def of(cls, found: types.Hit) -> Self:
        return cls(
            ref=found.ref,
            kind=found.kind,
            project=found.project,
            title=found.title,
            snippet=found.snippet,
            when=found.when,
            session=found.session,
            type=found.type,
            platform=found.platform,
            score=found.score,
            relevance=found.relevance,
            why=Why(lexical=found.why.lexical, semantic=found.why.semantic),
        )


class Results(Schema):
    """A page of hits; `total` and `facets` count all of them."""

    query: str
    total: int
    took_ms: float
    facets: dict[str, dict[str, int]] = Field(description="Counts by project, kind, type and platform.")
    items: list[Hit]
    next: str | None
    hint: str = Field("", description="What would help; left out where something was found.")

    @classmethod
    def of(cls, found: types.Results) -> Self:
        optional = {"hint": found.hint} if found.hint else {}
        return cls(
            query=found.query.text,
            total=found.total,
            took_ms=found.took_ms,
            facets=found.facets,
            items=[Hit.of(hit) for hit in found.items],
            next=found.next or None,
            **optional,
        )
