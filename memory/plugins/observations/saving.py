"""Observations from updates: one that is spelled out, or messages that a model wants to remember."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from django.utils import timezone

from memory import refs
from memory.engram import observations, sessions
from memory.engram.errors import EngramError
from memory.journal.titles import title
from memory.models import Observation, Project
from memory.plugins.scopes import project_of
from memory.projects import detection, directories
from memory.service.errors import BadRequest
from memory.service.types import Request
from memory.service.values import Json

_TOOL = "memory_update"
_FIELDS = ("title", "content", "type", "scope", "topic_key")

type Fields = dict[str, str]


def save(request: Request) -> Json:
    """Save what a request holds; None where that is nothing of ours. Raises BadRequest, EngramError.

    With a request id each memory is an operation of its own, which changes nothing when it comes again.
    """
    found = list(_found(request.data))
    if not found:
        return None
    project, directory = _place(request.meta.scope)
    session = _session(request, project, directory)
    at, saved = timezone.now(), []
    for number, fields in enumerate(found):
        done = observations.save(
            session_id=session, tool_name=_TOOL, operation_id=_operation(request, number), at=at, **fields
        )
        saved.append((refs.observation(done.observation), str(done.outcome)))
    return {"items": [{"ref": ref, "outcome": outcome} for ref, outcome in saved]}


def _found(data: Json) -> Iterable[Fields]:
    if not isinstance(data, dict):
        return
    if isinstance(told := data.get("observation"), dict):
        yield _spelled_out(told)
    messages = data.get("messages")
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str) and content.strip():
            yield {"title": title(content) or content.strip()[:60], "content": content}


def _spelled_out(told: dict[str, Json]) -> Fields:
    fields: Fields = {}
    for name in _FIELDS:
        value = told.get(name, "")
        if not isinstance(value, str):
            raise BadRequest(f"data.observation.{name} is no text")
        fields[name] = value
    return fields


def _place(scope: str) -> tuple[str, str]:
    """Return the name of the project that a scope writes to, and its directory. Raises BadRequest."""
    if project := project_of(scope):
        return project.name, scope if directories.chain(scope) else project.root
    name = _detected(scope) if directories.chain(scope) else ""
    if not name or Project.objects.filter(name=name).exists():
        raise BadRequest(f"the scope belongs to no project: {scope[:200]}")
    return name, scope


def _detected(scope: str) -> str:
    """Return the name that a directory without a memory gives to its first one."""
    try:
        return detection.current(scope).project
    except EngramError:
        return ""


def _session(request: Request, project: str, directory: str) -> str:
    """Return the session that asks, where an agent registered it in this project, else that of writes without one.

    A repeated request goes to the session of the first time, or it would be another operation.
    """
    if (operation := _operation(request, 0)) and (done := _done(operation)):
        return done.session.external_id
    told = request.meta.attributes.get("sessionId")
    known = sessions.find(told) if isinstance(told, str) and told.strip() else None
    if known and known.project.name == project:
        return known.external_id
    return sessions.writer(project=project, directory=directory, at=timezone.now()).external_id


def _done(operation: str) -> Observation | None:
    rows = Observation.objects.exclude(operation_id="").select_related("session")
    return rows.filter(operation_id=operation).first()


def _operation(request: Request, number: int) -> str:
    if not request.meta.request_id:
        return ""
    source = request.meta.source
    names = "\0".join([source.type, source.id, request.meta.scope, request.meta.request_id, str(number)])
    return hashlib.sha256(names.encode()).hexdigest()
