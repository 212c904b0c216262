"""OpenClaw: its `agent_end` event, with the messages of the last turn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.capture.document import Document
from memory.capture.platforms.base import Ended, Event, Reading
from memory.journal.anchors import Kind
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject, Status, Turn
from memory.transcripts.limits import LIMITS
from memory.transcripts.lines import Tally
from memory.transcripts.openclaw.turns import OpenClawParser

anchor_kind: Kind = "transcript"
agent_name = "OpenClaw"

_KIND = "agent_end"


def place(document: Document, *, after: int) -> Sequence[Event]:
    """Number by order; an event is the same by its run."""
    found = [event for event in document.events if event.get("type") == _KIND]
    return [Event(after + number, event, key=f"{_KIND}:{_run(event)}"[:200]) for number, event in enumerate(found)]


def read(events: Sequence[Event], document: Document) -> Reading:
    """Each event is a turn that is over, one that a heartbeat started is kept out."""
    return Reading(ended=tuple(_ended(event.data, turn, document) for event in events for turn in _turns(event.data)))


def _run(event: JsonObject) -> str:
    """Return OpenClaw's id of the run; older versions have none, then the messages tell runs apart."""
    written = json.dumps(event.get("messages"), sort_keys=True, default=str)
    return fields.text(event.get("runId")) or hashlib.sha256(written.encode()).hexdigest()[:16]


def _turns(event: JsonObject) -> list[Turn]:
    parser = OpenClawParser(LIMITS, Tally())
    drafts = list(parser.drafts(_lines(event)))
    return [draft.freeze(draft.sketch) for draft in drafts[-1:] if draft.sketch.trigger != "heartbeat"]


def _lines(event: JsonObject) -> Iterator[JsonObject]:
    """Put the messages into lines, as OpenClaw's own file has them."""
    for message in fields.records(event.get("messages")):
        yield {"type": "message", "timestamp": message.get("timestamp"), "message": message}


def _ended(event: JsonObject, turn: Turn, document: Document) -> Ended:
    status: Status = "completed" if turn.status == "running" else turn.status
    if event.get("success") is False and status == "completed":
        status = "error"
    return Ended(turn=replace(turn, id=_run(event), status=status), anchor_path=document.transcript)
