"""What connects one agent: its steps, and what a person is told beside them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memory.connect.steps import Step


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose configuration is meant: the person's own, or a project's that is shared with others."""

    home: Path
    project: Path | None = None

    def place(self, variable: str, otherwise: str) -> Path:
        """Return the folder that an environment variable names, or else one below the home directory."""
        value = os.environ.get(variable, "")
        return Path(value).expanduser() if value else self.home / otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`paste` are commands that do the same by the agent's own means, `then` is what is left for the person.

    `needs_token` says that hooks or plugins of this agent deliver to the server.
    """

    agent: str
    steps: tuple[Step, ...] = ()
    paste: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    needs_token: bool = False
