"""Any other agent: whole turns in a documented shape.

{"type": "turn", "turn": "7", "user": "…", "assistant": "…", "tools": [{"name", "input", "output", "error"?}],
 "ended_at": "2026-05-24T04:43:00Z", "status": "completed"?}
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from memory.capture.document import Document
from memory.capture.platforms.base import Ended, Event, Reading
from memory.journal.anchors import Kind
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject, Status, Tool, Turn

anchor_kind: Kind = "db"
agent_name = "The agent"

_STATUSES = {"completed", "interrupted", "error"}


def place(document: Document, *, after: int) -> Sequence[Event]:
    """Number by order; a turn is the same by its name."""
    named = [(name, event) for event in document.events if event.get("type") == "turn" and (name := _name(event))]
    return [Event(after + place, event, key=f"turn:{name}") for place, (name, event) in enumerate(named)]


def read(events: Sequence[Event], document: Document) -> Reading:
    """Each event is a turn that is over."""
    return Reading(ended=tuple(Ended(turn=_turn(event.data), anchor_path=document.transcript) for event in events))


def _name(event: JsonObject) -> str:
    value = event.get("turn")
    return str(value).strip()[:300] if isinstance(value, str | int) else ""


def _turn(event: JsonObject) -> Turn:
    status = fields.text(event.get("status"))
    when: datetime | None = fields.moment(event.get("ended_at"))
    answer = fields.text(event.get("assistant"))
    return Turn(
        id=_name(event),
        number=1,
        trigger="user",
        user=fields.text(event.get("user")),
        user_more=(),
        assistant=(answer,) if answer else (),
        thinking=(),
        tools=tuple(_tool(tool) for tool in fields.records(event.get("tools"))),
        attachments=(),
        status=cast("Status", status if status in _STATUSES else "completed"),
        started=when,
        ended=when,
    )


def _tool(record: JsonObject) -> Tool:
    output = fields.text(record.get("output"))
    return Tool(
        name=fields.text(record.get("name")) or "tool",
        input=record.get("input"),
        output=output,
        output_size=len(output),
        is_error=record.get("error") is True,
    )
