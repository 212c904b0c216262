"""What is asked of an agent's reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.capture.document import Document
from memory.journal.anchors import Kind
from memory.transcripts.conversation import JsonObject, Turn


@dataclass(frozen=True, slots=True)
class Event:
    """An event with its place; `key` is what makes it the same where the agent gives no number."""

    seq: int
    data: JsonObject
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A turn that is over. `turn.id` is the agent's own id of it, by which it is captured once.

    `anchor_turn` is the turn as the agent's MemSearch plugin names it, where that is not known to be the same.
    `is_in_transcript` tells the worker to read the whole turn from the transcript, which may lag behind.
    `skip` says why the turn is kept out of the journal.
    """

    turn: Turn
    anchor_turn: str = ""
    anchor_path: str = ""
    is_in_transcript: bool = False
    skip: str = ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """What an agent kept of a conversation that became too long."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a sequence of events says; `open_from` is the first event of the turn that still runs, None for none.

    `learnings` are texts that may have a section of key learnings, as the last words of a sub-agent.
    """

    ended: tuple[Ended, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    learnings: tuple[str, ...] = ()
    open_from: int | None = None


class Platform(Protocol):
    """Reads one agent's events."""

    anchor_kind: Kind
    agent_name: str

    def place(self, document: Document, *, after: int) -> Sequence[Event]:
        """Return the document's events that matter, numbered by the agent, or else by their order from `after` on."""
        ...

    def read(self, events: Sequence[Event], document: Document) -> Reading:
        """Read the events of open turns and what came now, in order. Pure: no database, no file."""
        ...
