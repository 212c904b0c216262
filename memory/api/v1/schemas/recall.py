"""The layers of recall as JSON."""

from __future__ import annotations

import datetime
from typing import Any, Literal, Self

from ninja import Schema
from pydantic import Field

from memory.api.v1.schemas.journals import Anchor
from memory.recall import expand
from memory.recall.transcript import Recalled
from memory.transcripts import conversation


class Source(Schema):
    """A place in a file below `.memsearch`."""

    path: str = Field(examples=["memory/2026-01-15.md"])
    start_line: int
    end_line: int


class Neighbour(Schema):
    """An entry of the same session."""

    ref: str
    title: str
    date: datetime.date
    time: str = Field(description="Local time as written, HH:MM.")


class Expansion(Schema):
    """A whole section, and what stands around it."""

    ref: str
    section: str
    source: Source | None = Field(description="Null for what no file holds.")
    anchor: Anchor | None
    before: list[Neighbour] = Field(description="Up to two earlier entries of the same session, in their order.")
    after: list[Neighbour] = Field(description="Up to two later entries of the same session, in their order.")
    note: str = Field("", description="Where this is not what the file holds now; left out otherwise.")

    @classmethod
    def of(cls, found: expand.Expansion) -> Self:
        optional = {"note": found.note} if found.note else {}
        return cls(
            ref=found.ref,
            section=found.section,
            source=_source(found.source),
            anchor=_anchor(found.anchor),
            before=[_neighbour(one) for one in found.before],
            after=[_neighbour(one) for one in found.after],
            **optional,
        )


class ToolCall(Schema):
    """A tool that the agent used; a long output is its head and its tail, and null while there is none."""

    name: str
    input: Any
    output: str | None


class Message(Schema):
    """One side of a turn; `turn` is the agent's own id or, where it has none, the number."""

    turn: str
    role: Literal["user", "assistant"]
    text: str
    tools: list[ToolCall]


class Transcript(Schema):
    """Some turns of a conversation, in order."""

    ref: str
    platform: str
    turns: list[Message]
    asked: str | None = Field(description="The turn that was asked for; null where it was not found.")
    truncated: bool = Field(description="Whether something of these turns is left out.")
    notes: list[str] = Field(description="What could not be read, in words.")

    @classmethod
    def of(cls, found: Recalled) -> Self:
        told = found.transcript
        asked = next((turn.id or str(turn.number) for turn in told.turns if turn.number == told.asked), None)
        return cls(
            ref=found.ref,
            platform=told.platform,
            turns=[_message(one) for one in conversation.messages(told)],
            asked=asked,
            truncated=told.truncated,
            notes=list(told.notes),
        )


def _message(one: conversation.Message) -> Message:
    tools = [ToolCall(name=tool.name, input=tool.input, output=tool.output) for tool in one.tools]
    return Message(turn=one.turn, role=one.role, text=one.text, tools=tools)


def _source(found: expand.Source | None) -> Source | None:
    return Source(path=found.path, start_line=found.start_line, end_line=found.end_line) if found else None


def _anchor(found: expand.Anchor | None) -> Anchor | None:
    return Anchor(kind=found.kind, path=found.path) if found else None


def _neighbour(found: expand.Neighbour) -> Neighbour:
    return Neighbour(ref=found.ref, title=found.title, date=found.date, time=found.time)
