"""OpenClaw's runs as turns: the last one of the messages, without what channels put around a person's words."""

from __future__ import annotations

from typing import Any

from memory.capture import document
from memory.capture.platforms import openclaw
from memory.capture.platforms.base import Ended, Event


def placed(*events: Any) -> tuple[document.Document, list[Event]]:
    data: Any = {"platform": "openclaw", "session": {"id": "s-1"}, "transcript": "/h/s-1.jsonl", "events": list(events)}
    parsed = document.parse(data)
    return parsed, list(openclaw.place(parsed, after=3))


def read(*events: Any) -> tuple[Ended, ...]:
    parsed, found = placed(*events)
    return openclaw.read(found, parsed).ended


def run(*messages: Any, **over: Any) -> dict[str, Any]:
    return {"type": "agent_end", "runId": "r-1", "success": True, "messages": list(messages)} | over


def said(role: str, text: str, **over: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]} | over


def test_a_run_is_a_turn_by_its_own_id() -> None:
    words = 'Sender (untrusted metadata):\n```json\n{"name": "Mira"}\n```\n[Mon 2026-11-30 09:12 UTC] why?'

    (ended,) = read(run(said("user", words), said("assistant", "Because.")))

    assert (ended.turn.id, ended.turn.user, ended.turn.assistant) == ("r-1", "why?", ("Because.",))
    assert (ended.turn.status, ended.anchor_path) == ("completed", "/h/s-1.jsonl")


def test_a_run_that_failed_says_so() -> None:
    (ended,) = read(run(said("user", "why?"), said("assistant", "I"), success=False))

    assert ended.turn.status == "error"


def test_a_heartbeat_is_nobodys_turn() -> None:
    beat = said("user", "Read HEARTBEAT.md if it exists (workspace context).")

    assert read(run(beat, said("assistant", "HEARTBEAT_OK"))) == ()


def test_runs_without_an_id_are_told_apart_by_what_was_said() -> None:
    first, second = (run(said("user", text), runId=None) for text in ("one", "two"))

    _, found = placed(first, first, second)

    keys = [event.key for event in found]
    assert (keys[0] == keys[1], keys[1] == keys[2]) == (True, False)
    assert [event.seq for event in found] == [3, 4, 5]


def test_other_events_are_left_out() -> None:
    assert placed({"type": "message"}, {}, {"type": 1})[1] == []
    assert read(run(), run("x", 1, None)) == ()
