"""Builders of what agents deliver."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.places import FIXTURES

KIT = FIXTURES.parent / "dsh-kit"


def recorded(generation: str) -> list[dict[str, Any]]:
    """Return the events of a session that a real DSH wrote, without its header."""
    if not KIT.is_dir():
        pytest.skip("the recordings of a real DSH are not here")
    lines = (KIT / f"transcript-{generation}.jsonl").read_text().splitlines()
    return [event for line in lines[1:] if "seq" in (event := json.loads(line))]


def dsh_turn(
    number: int, *, first: int, asked: str = "Why does the importer skip rows?", answer: str = "It trims them."
) -> list[dict[str, Any]]:
    """Return one finished turn in events of the newer generation, numbered from `first` on."""
    events = [
        ("turn/start", {"turn": number}),
        ("user/message", {"content": [{"type": "text", "text": asked}], "source": {"kind": "user"}, "role": "user"}),
        (
            "assistant/message",
            {"turn": number, "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}},
        ),
        ("turn/end", {"turn": number, "reason": {"kind": "completed"}}),
    ]
    return [
        {"type": kind, "seq": first + place, "time": 1795998176475 + place, "data": data}
        for place, (kind, data) in enumerate(events)
    ]


def dsh_document(cwd: Path | str, events: list[dict[str, Any]], *, session: str = "s1", **given: Any) -> dict[str, Any]:
    """Return a capture document as the DSH connector sends it."""
    return {"platform": "dsh", "session": {"id": session, "cwd": str(cwd)}, "events": events} | given
