"""Which session and project a write belongs to (Engram's rules for its HTTP routes)."""

from __future__ import annotations

from datetime import datetime

from memory.engram import holding, naming
from memory.engram.errors import OwnershipRequired, ProjectMismatch, SessionNotFound
from memory.models import Project, Session
from memory.models.project import NO_PROJECT
from memory.projects import names, queries

_REMEDY = "engram projects rescue-ownership --project <name> --session <id>"


def session_for(*, session_id: str, project: str) -> Session:
    """Return the session of a write, held until the transaction ends; whether it has ended does not matter.

    With a project named it has to be the session's; with none it is the session's. Raises SessionNotFound,
    ProjectMismatch, OwnershipRequired. One query where the project is named as it is stored.
    """
    found = holding.session(session_id)
    if project.strip():
        return _checked(found, project)
    if found is None or found.project.name == NO_PROJECT:
        raise OwnershipRequired(remedy=_REMEDY)
    return found


def is_named(project: Project, name: str) -> bool:
    """Tell whether a name means this project; blank means "no project". One query for a name that is not its own."""
    if not name.strip():
        return project.name == NO_PROJECT
    return names.canonical(name) == project.name or queries.find(name) == project


def label(project: Project, name: str) -> str:
    """Return how a project was spelled, where that is not its name."""
    spelled = name.strip()
    return "" if spelled == project.name else spelled[:500]


def touch(session: Session, *, at: datetime) -> None:
    """Note that a session just remembered something. Only registering renews its lease."""
    Session.objects.filter(pk=session.pk, last_activity_at__lt=at).update(last_activity_at=at)


def _checked(found: Session | None, project: str) -> Session:
    if found is None:
        raise SessionNotFound
    if not is_named(found.project, project):
        raise ProjectMismatch(session_project=naming.wire_name(found.project), project=names.canonical(project))
    return found
