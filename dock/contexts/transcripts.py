"""The conversation behind an entry or a session, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils import dateformat
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, sessions_titles
from memory.models import Entry, Session
from memory.recall import transcript as recall
from memory.recall.expand import CannotExpand
from memory.recall.transcript import Recalled
from memory.transcripts.conversation import Json, Tool, Transcript, Turn
from memory.transcripts.places import Unavailable
from memory.transcripts.registry import READERS

TURNS = 2 * recall.CONTEXT + 1
"""Turns of one page."""
_HINT = 120
_HOW = {"id": "", "time": ", the entry's own found by its time", "none": ", the entry's own was not found"}
_TRIGGERS = {
    "task-notification": "a task ended",
    "heartbeat": "heartbeat",
    "compaction": "compaction",
    "agent": "agent",
}
_TELLING = ("command", "cmd", "file_path", "path", "pattern", "query", "url")


@dataclass(frozen=True, slots=True)
class ToolView:
    """A call, folded; `hint` is its input in one line."""

    name: str
    hint: str
    input: str
    output: str
    has_result: bool
    is_error: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """One prompt and what came of it; `trigger` is empty when a person wrote it."""

    id: str
    number: int
    started: datetime | None
    is_asked: bool
    trigger: str
    user: str
    assistant: list[SafeString]
    tools: list[ToolView]
    attachments: list[str]
    status: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """The page; where there is no conversation, `reason` says why and `turns` is empty."""

    title: str
    noun: str
    icon: str
    record_url: str
    crumbs: list[tuple[str, str]]
    platform: str
    words: str
    reason: str
    notes: list[str]
    turns: list[TurnView]
    asked_url: str
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class _Record:
    """What a conversation belongs to."""

    title: str
    noun: str
    icon: str
    url: str
    page_url: str
    crumbs: list[tuple[str, str]]
    platform: str


def of_entry(entry: Entry, skip: int | None) -> TranscriptPage:
    """Read the turns around an entry's own, or those after `skip`. No query; reads the agent's file."""
    project, day = entry.project.name, links.to("journal-day", entry.date, project=entry.project.name)
    url = links.to("entry-detail", entry.pk)
    title = entry.title or "Untitled entry"
    crumbs = [
        ("Journals", links.to("journal-list", project=project)),
        (dateformat.format(entry.date, "j F Y"), day),
        (title, url),
    ]
    here = links.to("entry-transcript", entry.pk)
    record = _Record(title, "entry", "document-text", url, here, crumbs, entry.platform)
    return _page(record, lambda: recall.of_entry(entry, skip=skip), skip)


def of_session(session: Session, skip: int | None) -> TranscriptPage:
    """Read the last turns of a session, or those after `skip`. No query; reads the agent's file."""
    url, here = links.to("session-detail", session.key), links.to("session-transcript", session.key)
    title = sessions_titles.title(session)
    crumbs = [("Sessions", links.to("session-list", project=session.project.name)), (title, url)]
    record = _Record(title, "session", "chat-bubble-left-right", url, here, crumbs, session.platform)
    return _page(record, lambda: recall.of_session(session, skip=skip), skip)


def session_url(key: str, platform: str) -> str:
    """Return the address of a session's conversation; empty for agents whose conversations cannot be read."""
    return links.to("session-transcript", key) if platform in READERS else ""


def _page(record: _Record, read: Callable[[], Recalled], skip: int | None) -> TranscriptPage:
    found, reason = _read(read)
    end = found.skipped + len(found.turns) if found else 0
    is_of_entry = record.noun == "entry"
    return TranscriptPage(
        title=record.title,
        noun=record.noun,
        icon=record.icon,
        record_url=record.url,
        crumbs=record.crumbs,
        platform=record.platform,
        words=_words(found, is_of_entry=is_of_entry) if found else "",
        reason=reason,
        notes=list(found.notes) if found else [],
        turns=[_turn(one, is_asked=is_of_entry and one.number == found.asked) for one in found.turns] if found else [],
        asked_url=record.page_url if skip is not None else "",
        previous_url=_at(record, max(0, found.skipped - TURNS)) if found and found.skipped else "",
        next_url=_at(record, end) if found and found.turns and not found.is_end else "",
    )


def _at(record: _Record, skip: int) -> str:
    return f"{record.page_url}?skip={skip}"


def _read(read: Callable[[], Recalled]) -> tuple[Transcript | None, str]:
    try:
        return read().transcript, ""
    except (CannotExpand, Unavailable) as exc:
        return None, str(exc)


def _words(found: Transcript, *, is_of_entry: bool) -> str:
    turns = f"{len(found.turns):,} of {found.total:,} {'turn' if found.total == 1 else 'turns'}"
    return turns + _HOW[found.found_by] if is_of_entry else turns


def _turn(turn: Turn, *, is_asked: bool) -> TurnView:
    return TurnView(
        id=f"turn-{turn.number}",
        number=turn.number,
        started=turn.started,
        is_asked=is_asked,
        trigger=_TRIGGERS.get(turn.trigger, ""),
        user="\n\n".join(filter(None, (turn.user, *turn.user_more))),
        assistant=[markdown.render(text) for text in turn.assistant],
        tools=[_tool(tool) for tool in turn.tools],
        attachments=[attachment.name or attachment.kind for attachment in turn.attachments],
        status="" if turn.status == "completed" else turn.status,
        is_cut=turn.is_truncated,
    )


def _tool(tool: Tool) -> ToolView:
    text = _text(tool.input)
    return ToolView(
        name=tool.name,
        hint=_hint(tool.input, text),
        input=text,
        output=tool.output or "",
        has_result=tool.output is not None,
        is_error=tool.is_error,
    )


def _hint(value: Json, text: str) -> str:
    """Return what tells a call from others in one line: its command, path or query where it has one."""
    told = (
        next((value[name] for name in _TELLING if isinstance(value.get(name), str)), "")
        if isinstance(value, dict)
        else ""
    )
    return " ".join(str(told or text).split())[:_HINT]


def _text(value: Json) -> str:
    """Return a tool's input as a person reads it: the only text of it, or JSON."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
