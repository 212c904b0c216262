"""Who calls tools, from where, and what they may."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory.audit import Actor
from memory.mcp.activity import Activity, Key
from memory.mcp.recovery import Recoveries
from memory.models.token import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A client: the tools that it sees, and the scope that decides which of them it may call.

    `directory` is where its agent works, "" where that is not known; `project` is what it was started for, "" where
    the directory decides.
    """

    actor: Actor
    tools: frozenset[str]
    scope: Scope = Scope.ADMIN
    directory: str = ""
    project: str = ""
    activity: Activity = field(default_factory=Activity)
    recoveries: Recoveries = field(default_factory=Recoveries)

    @property
    def override(self) -> str:
        """The project that comes before any detection."""
        return self.project or os.environ.get("ENGRAM_PROJECT", "").strip()


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, and when it was made."""

    caller: Caller
    at: datetime

    def key(self, project: str) -> Key:
        """Return under which key the activity of this caller in a project is counted."""
        return self.caller.actor.label, project


def working_directory() -> str:
    """Return where the agent that started this process works; "" where that place is gone.

    Claude Code names its project; a server of one of its plugins runs elsewhere.
    """
    named = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if Path(named).is_absolute() and Path(named).is_dir():
        return named
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return ""
