"""Writes small stores of Claude Code, as that writes them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

WHEN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When the first turn of a session began."""


def question(number: int) -> str:
    return f"Why does buoy {number} lose its light?"


def lines(cwd: str, *numbers: int, when: datetime = WHEN, session: str = "s") -> list[dict[str, Any]]:
    """Return the lines of some turns, each of a question and an answer, ten minutes apart."""
    return [line for number in numbers for line in turn(cwd, number, when=when + timedelta(minutes=10 * number))]


def turn(cwd: str, number: int, *, when: datetime, ident: str = "") -> list[dict[str, Any]]:
    ident = ident or f"{number:08d}-0000-4000-8000-000000000000"
    common = {"cwd": cwd, "sessionId": "s", "isSidechain": False}
    asked = {"role": "user", "content": question(number)}
    said = {"role": "assistant", "id": f"m{ident}", "stop_reason": "end_turn"}
    answer = [{"type": "text", "text": f"Relay {number} is wet."}]
    return [
        {**common, "type": "user", "uuid": ident, "timestamp": when.isoformat(), "message": asked},
        {
            **common,
            "type": "assistant",
            "uuid": f"a{ident}",
            "parentUuid": ident,
            "timestamp": (when + timedelta(seconds=30)).isoformat(),
            "message": {**said, "content": answer},
        },
    ]


def write(folder: Path, content: list[dict[str, Any]], *, session: str = "one", tail: bytes = b"") -> Path:
    """Write a session into the folder of a project."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in content) + tail)
    return path
