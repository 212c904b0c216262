"""What every task can do: ask, understand the answer, act on it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from memory.maintenance.assignment import Assignment
from memory.maintenance.prompts import Prompt


class Failed(Exception):
    """Something of the task could not be done; the message says what, and what was done all the same."""


class Task(Protocol):
    """One task. What a step finds out is kept in the fields of the run, which the caller saves."""

    @property
    def name(self) -> str: ...

    def prompt(self, assignment: Assignment) -> Prompt:
        """Return what the model is asked, and note in the run what it was shown.

        Raises CannotUse, DiskError, Unavailable and Unset.
        """
        ...

    def understand(self, assignment: Assignment, said: str) -> None:
        """Note in the run what the model wants. Raises Nonsense."""
        ...

    def carry_out(self, assignment: Assignment, *, at: datetime) -> None:
        """Do it, and note what became of it. Twice is harmless: a killed run is taken up again here.

        Raises CannotUse, Changed and Failed.
        """
        ...


def markers(assignment: Assignment) -> dict[str, str]:
    """Return what MemSearch's templates may name."""
    return {
        "AGENT_NAME": assignment.run.platform,
        "TASK_NAME": assignment.run.task,
        "PROJECT_DIR": assignment.project.root,
        "INPUT_DIR": assignment.input.shown,
        "OUTPUT_FILE": assignment.output.shown,
    }
