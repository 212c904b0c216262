"""Deliveries of agents, recall and the agent's inbox as JSON."""

from __future__ import annotations

from typing import Any, Literal, Self

from ninja import Schema
from pydantic import Field

from memory import models
from memory.api.v1.schemas.search import Hit
from memory.capture import accept
from memory.recall import injection


class DeliveredSession(Schema):
    """Whose events these are."""

    id: str
    cwd: str | None = Field(None, description="Absolute directory, as the agent sees it.")
    created_at: int | None = Field(None, description="Milliseconds since 1970.")
    parent_session: str | None = None
    origin: str | None = None


class Delivery(Schema):
    """One session's events, unchanged (contract section 6)."""

    platform: str = Field(examples=["dsh"])
    session: DeliveredSession
    from_seq: int | None = None
    next_seq: int | None = None
    final: bool = False
    transcript: str | None = None
    events: list[dict[str, Any]] = []


class Captured(Schema):
    """What became of a turn."""

    turn: str
    state: Literal["queued", "captured", "skipped"]
    reason: str = ""
    ref: str = ""

    @classmethod
    def of(cls, taken: accept.Taken) -> Self:
        return cls(turn=taken.turn, state=taken.state, reason=taken.reason, ref=taken.ref)


class Receipt(Schema):
    """What a delivery changed."""

    session: str
    next_seq: int
    stored: int
    captures: list[Captured]


class Cursor(Schema):
    """The next event that is expected of a session."""

    next_seq: int


class Question(Schema):
    """What the agent is about to work on."""

    session: str
    cwd: str = ""
    query: str = ""
    limit: int = Field(injection.LIMIT, ge=1, le=20)
    budget: int = Field(injection.BUDGET, ge=200, le=20_000, description="Characters of the whole text.")
    again: bool = Field(default=False, description="Also what this session was told before.")


class Answer(Schema):
    """What to tell the agent; `text` is empty when nothing is relevant."""

    text: str
    hits: list[Hit]
    reason: str = ""

    @classmethod
    def of(cls, recalled: injection.Recalled) -> Self:
        optional = {"reason": recalled.reason} if recalled.reason else {}
        return cls(text=recalled.text, hits=[Hit.of(hit) for hit in recalled.hits], **optional)


class Message(Schema):
    """A message that a person left for an agent."""

    id: int
    text: str
    about: str

    @classmethod
    def of(cls, row: models.InboxMessage) -> Self:
        return cls(id=row.pk, text=row.text, about=row.about)


class Inbox(Schema):
    """What waits for a session, oldest first."""

    items: list[Message]
