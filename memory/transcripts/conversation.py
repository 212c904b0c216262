"""What a conversation is once it is read: turns with words and tools, the same for every agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

type Json = dict[str, Json] | list[Json] | str | int | float | bool | None
type JsonObject = dict[str, Json]

type Status = Literal["completed", "interrupted", "error", "running"]
type Trigger = Literal["user", "task-notification", "heartbeat", "compaction", "agent"]
type Way = Literal["id", "time", "none"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One call. A long `output` is its head and tail; `output_size` counts all its characters. None: no result yet.

    `subagent` is the session id of the conversation that the call started.
    """

    name: str
    input: Json
    output: str | None
    output_size: int = 0
    is_error: bool = False
    subagent: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """What a person sent along; the bytes are not kept."""

    kind: str
    mime: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt, or another trigger, and everything up to the next one.

    `id` is the agent's own and may be empty; `number` is the position in the conversation, from 1. `user_more` was
    typed while the agent worked. Turns that were rewound, rolled back or reverted are not active; replayed ones are a
    fork's copy of its parent's.
    """

    id: str
    number: int
    trigger: Trigger
    user: str
    user_more: tuple[str, ...]
    assistant: tuple[str, ...]
    thinking: tuple[str, ...]
    tools: tuple[Tool, ...]
    attachments: tuple[Attachment, ...]
    status: Status
    started: datetime | None
    ended: datetime | None
    is_active: bool = True
    is_replayed: bool = False
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """Some turns of one conversation, in order.

    `asked` is the number of the turn that was asked for and `found_by` says how it was found: by its id, by the time,
    or not at all; then these are the last turns. `total` counts all turns that may be shown, `skipped` those of them
    before the first one here. `notes` are sentences about what could not be read.
    """

    platform: str
    session: str
    turns: tuple[Turn, ...]
    asked: int | None
    found_by: Way
    total: int
    is_start: bool
    is_end: bool
    truncated: bool
    notes: tuple[str, ...] = ()
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One side of a turn; `turn` is the agent's own id or, where it has none, the number."""

    turn: str
    role: Literal["user", "assistant"]
    text: str
    tools: tuple[Tool, ...] = ()


def messages(transcript: Transcript) -> list[Message]:
    """Flatten a transcript to at most one item of the user and one of the assistant a turn."""
    return [message for turn in transcript.turns for message in _sides(turn)]


def _sides(turn: Turn) -> Iterator[Message]:
    name = turn.id or str(turn.number)
    if words := _joined(turn.user, *turn.user_more):
        yield Message(name, "user", words)
    if turn.assistant or turn.tools:
        yield Message(name, "assistant", _joined(*turn.assistant), turn.tools)


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))
