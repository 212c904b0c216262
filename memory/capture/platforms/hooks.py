"""Agents that run a command at each event (Claude Code, Codex): the prompt at its start, the answer at its end.

What happened in between stands in the agent's transcript, which may lag behind; the worker reads it there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memory.capture.document import Document
from memory.capture.platforms.base import Compaction, Ended, Event, Reading
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject, Status, Turn

_KEPT = {"UserPromptSubmit", "Stop", "StopFailure", "SubagentStop", "PostCompact"}
_ENDS = {"Stop", "StopFailure", "SubagentStop"}
_NOTIFY = "agent-turn-complete"


def place(document: Document, *, after: int) -> Sequence[Event]:
    """Number by order; an event is the same by its kind and what it speaks of."""
    found = [event for event in document.events if _kind(event) in _KEPT]
    return [Event(after + place, event, key=_key(event)) for place, event in enumerate(found)]


def read(events: Sequence[Event], document: Document) -> Reading:
    """Pair each end with the prompt before it; a prompt without an end is a turn that still runs."""
    ended: list[Ended] = []
    prompt: Event | None = None
    for event in events:
        if _kind(event.data) == "UserPromptSubmit":
            prompt = event
        elif _kind(event.data) in _ENDS:
            ended.append(_ended(event.data, prompt.data if prompt else {}, document))
            prompt = None
    compacted = (fields.text(event.data.get("compact_summary")) for event in events)
    said = (_last(event.data) for event in events if _kind(event.data) == "SubagentStop")
    return Reading(
        ended=tuple(ended),
        compactions=tuple(Compaction(text) for text in compacted if text.strip()),
        learnings=tuple(filter(None, said)),
        open_from=prompt.seq if prompt else None,
    )


def _kind(event: JsonObject) -> str:
    return "Stop" if event.get("type") == _NOTIFY else fields.text(event.get("hook_event_name"))


def _turn_id(event: JsonObject) -> str:
    names = ("prompt_id", "turn_id", "turn-id", "agent_id")
    return next((text for name in names if (text := fields.text(event.get(name)))), "")


def _key(event: JsonObject) -> str:
    what = _turn_id(event) or _digest(fields.text(event.get("prompt")) + _last(event))
    return f"{_kind(event)}:{what}"[:200]


def _ended(event: JsonObject, prompt: JsonObject, document: Document) -> Ended:
    failed = _kind(event) == "StopFailure"
    answer = _last(event) or (fields.text(event.get("error")) if failed else "")
    status: Status = "error" if failed else "completed"
    transcript = fields.text(event.get("agent_transcript_path")) or document.transcript
    turn = Turn(
        id=_turn_id(event) or _turn_id(prompt) or _digest(_asked(event, prompt) + answer),
        number=1,
        trigger="user",
        user=_asked(event, prompt),
        user_more=(),
        assistant=(answer,) if answer else (),
        thinking=(),
        tools=(),
        attachments=(),
        status=status,
        started=None,
        ended=None,
    )
    return Ended(turn=turn, anchor_path=transcript, is_in_transcript=bool(transcript))


def _asked(event: JsonObject, prompt: JsonObject) -> str:
    typed = event.get("input-messages")
    texts = [text for text in typed if isinstance(text, str)] if isinstance(typed, list) else []
    return fields.text(prompt.get("prompt")) or "\n\n".join(texts)


def _last(event: JsonObject) -> str:
    return fields.text(event.get("last_assistant_message")) or fields.text(event.get("last-assistant-message"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
