"""Gathers what the change feed is told of a part, a row each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from memory import changes
from memory.changes import Note
from memory.models import Project


@dataclass(slots=True)
class Feed:
    """What the change feed is told, by project."""

    notes: dict[Project, list[Note]] = field(default_factory=lambda: defaultdict(list))

    def tell(self, project: Project, kind: str, ref: str, name: str = "") -> None:
        self.notes[project].append(Note(kind, ref, name))

    def append(self, *, at: datetime) -> None:
        for project, notes in self.notes.items():
            changes.append(notes, project=project, at=at)
