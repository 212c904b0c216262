"""Turns of agents as updates: what an agent's loop tells at the end of one, and whole capture documents."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import PurePath

from django.utils import timezone

from memory.capture.document import Document
from memory.plugins.scopes import project_of
from memory.projects import directories
from memory.service.errors import BadRequest
from memory.service.types import Request
from memory.service.values import Json

_PLATFORM = "dsh"
"""Whose events an agent's loop tells where nothing else is said."""


def take(request: Request) -> Json:
    """Capture the events of a request; None where it has none. Raises BadRequest, BadDocument."""
    from memory.capture import accept, document  # with the readers of all platforms: for who captures only

    if not isinstance(request.data, dict) or not isinstance(request.data.get("events"), list):
        return None
    told = request.data if "platform" in request.data else _of_loop(request)
    taken = accept.accept(_placed(document.parse(told), request.meta.scope), at=timezone.now())
    captures: list[Json] = [{key: value for key, value in asdict(one).items() if value} for one in taken.captures]
    return {"session": taken.session, "next_seq": taken.next_seq, "stored": taken.stored, "captures": captures}


def _of_loop(request: Request) -> dict[str, Json]:
    """Make a capture document of `{agent, session: {header}, event, events}`."""
    assert isinstance(request.data, dict)  # noqa: S101 - the caller looked
    told, facts = request.data, request.meta.attributes
    session = told.get("session")
    header = session.get("header") if isinstance(session, dict) else None
    known = header if isinstance(header, dict) else {}
    return {
        "platform": facts.get("platform", _PLATFORM),
        "session": {
            "id": facts.get("sessionId") or known.get("id"),
            "cwd": facts.get("workspaceRoot") or known.get("cwd"),
            "parent_session": known.get("parentSession"),
            "origin": known.get("origin"),
        },
        "events": told["events"],
    }


def _placed(document: Document, scope: str) -> Document:
    """Hold a document to its scope: to that directory or project, or to the session itself. Raises BadRequest."""
    is_path = bool(directories.chain(scope))
    if is_path and (not document.cwd or _is_inside(document.cwd, scope)):
        return replace(document, cwd=document.cwd or scope)
    project = project_of(scope)
    if not document.cwd and (project or scope == document.session):
        return replace(document, cwd=project.root if project else "")
    if project is None or project_of(document.cwd) != project:
        raise BadRequest("the session's directory does not belong to the scope")
    return document


def _is_inside(directory: str, scope: str) -> bool:
    return PurePath(directories.spelled(directory)).is_relative_to(directories.spelled(scope))
