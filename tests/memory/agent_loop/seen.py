"""Builders of what connectors see of a loop."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

from memory.agent_loop import points
from memory.agent_loop.points import Observation
from memory.models import Project, Setting
from memory.service.desk import Desk
from tests.memory.capture.events import dsh_turn

aside = Desk("tests")
"""Where tests look at the database while a loop runs."""

_PLACE = Path(tempfile.mkdtemp(prefix="memdock-loop-")).resolve()
atexit.register(shutil.rmtree, _PLACE, ignore_errors=True)

CWD = _PLACE / "harbor"
AGENT = {"id": "a1", "status": "running", "options": {"model": "deepseek-flash"}}
HEADER = {"version": 4, "id": "s1", "createdAt": 1795998176475, "cwd": str(CWD)}
SAID = {
    "role": "user",
    "source": {"kind": "user"},
    "content": [{"type": "text", "text": "Why does the importer skip blank rows?"}],
}
RECALLED = {
    "role": "user",
    "source": {"kind": "memdock", "form": "recall"},
    "content": [{"type": "text", "text": "{}"}],
}


def data(header: dict[str, Any] = HEADER, **more: Any) -> dict[str, Any]:
    """Return what can be seen at a point."""
    return {"agent": AGENT, "session": {"header": header}, **more}


def step(*messages: dict[str, Any], number: int = 1, header: dict[str, Any] = HEADER) -> dict[str, Any]:
    return data(header, turn=1, step=number, messages=list(messages))


def turn(
    number: int = 1, *, first: int = 0, header: dict[str, Any] = HEADER, outcome: str = "completed"
) -> dict[str, Any]:
    """Return what can be seen of a turn that ended."""
    events = dsh_turn(number, first=first)
    events[-1]["data"]["reason"]["kind"] = outcome
    return data(header, event=events[-1], events=events)


def created(session: str = "s1") -> Observation:
    return points.observation("agent/created", data(HEADER | {"id": session}))


def ended(number: int = 1, *, first: int = 0, session: str = "s1") -> Observation:
    return points.observation("session/turn-end", turn(number, first=first, header=HEADER | {"id": session}))


def choose(key: str, value: object, project: Project | None = None) -> None:
    """Choose a setting of the loop."""
    Setting.objects.create(project=project, key=f"agent_loop.{key}", value=value)
