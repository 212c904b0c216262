"""Which project a call is about: the one that it names, its session's, the client's, or that of its directory."""

from __future__ import annotations

from dataclasses import dataclass

from memory.engram import naming
from memory.models import Observation, Project, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project (None for all of them), how it was found (`source`) and the directory that gave it, if one did.

    A name that nobody uses yet gives a project that is not stored: its pk is 0, and filters by it find nothing.
    """

    project: Project | None
    source: str
    path: str = ""
    warning: str = ""

    @property
    def name(self) -> str:
        return naming.wire_name(self.project) if self.project else ""


EVERYWHERE = Place(project=None, source="all_projects")


def stored(row: Observation) -> Place:
    """Return the project that a memory is kept in."""
    return Place(project=row.project, source="stored_project")


def of_session(row: Session) -> Place:
    return Place(project=row.project, source="session", path=row.directory)
