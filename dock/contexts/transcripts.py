"""The conversation behind an entry, turn by turn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links
from memory.models import Entry
from memory.recall import transcript as recall
from memory.recall.expand import CannotExpand
from memory.transcripts.conversation import Json, Tool, Transcript, Turn
from memory.transcripts.places import Unavailable

STEP = 5
"""Turns that "Show more" adds on each side."""


@dataclass(frozen=True, slots=True)
class ToolView:
    """A call, folded."""

    name: str
    hint: str
    input: str
    output: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """One prompt and what came of it."""

    id: str
    number: int
    started: datetime | None
    is_asked: bool
    user: str
    assistant: list[SafeString]
    tools: list[ToolView]
    attachments: list[str]
    status: str


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """The page; where there is no conversation, `reason` says why and `turns` is empty."""

    title: str
    entry_url: str
    day_url: str
    day: str
    platform: str
    session: str
    reason: str
    words: str
    notes: list[str]
    turns: list[TurnView]
    more_url: str


def page(entry: Entry, *, context: int) -> TranscriptPage:
    """Read the turns around an entry's own. No query; reads the agent's file."""
    found, reason = _read(entry, context)
    here = links.to("entry-transcript", entry.pk)
    return TranscriptPage(
        title=entry.title or "Untitled entry",
        entry_url=links.to("entry-detail", entry.pk),
        day_url=links.to("journal-day", entry.date, project=entry.project.name),
        day=f"{entry.date.isoformat()} {entry.time}",
        platform=entry.platform,
        session=entry.session.external_id if entry.session else "",
        reason=reason,
        words=_words(found) if found else "",
        notes=list(found.notes) if found else [],
        turns=[_turn(turn, is_asked=turn.number == found.asked) for turn in found.turns] if found else [],
        more_url=f"{here}?context={context + STEP}" if found and not (found.is_start and found.is_end) else "",
    )


def _read(entry: Entry, context: int) -> tuple[Transcript | None, str]:
    try:
        return recall.of_entry(entry, context=context).transcript, ""
    except (CannotExpand, Unavailable) as exc:
        return None, str(exc)


def _words(found: Transcript) -> str:
    how = {"id": "found by its turn", "time": "found by the entry's time", "none": "the turn was not found"}
    return f"{len(found.turns):,} of {found.total:,} turns, {how[found.found_by]}"


def _turn(turn: Turn, *, is_asked: bool) -> TurnView:
    return TurnView(
        id=f"turn-{turn.number}",
        number=turn.number,
        started=turn.started,
        is_asked=is_asked,
        user="\n\n".join(filter(None, (turn.user, *turn.user_more))),
        assistant=[markdown.render(text) for text in turn.assistant],
        tools=[_tool(tool) for tool in turn.tools],
        attachments=[attachment.name or attachment.kind for attachment in turn.attachments],
        status="" if turn.status == "completed" else turn.status,
    )


def _tool(tool: Tool) -> ToolView:
    text = _text(tool.input)
    return ToolView(
        name=tool.name,
        hint=" ".join(text.split())[:80],
        input=text,
        output=tool.output or "",
        is_error=tool.is_error,
    )


def _text(value: Json) -> str:
    """Return a tool's input as a person reads it: the only text of it, or JSON."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
