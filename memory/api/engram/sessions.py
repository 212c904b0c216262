"""`/sessions…` and `/runtime-sessions/…`."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now
from pydantic import Field

from memory.api.engram import scoping, shapes
from memory.api.engram.bodies import Body, StrictBody, Text, read
from memory.api.engram.parameters import integer
from memory.api.engram.replies import Refusal, reply, without_empty
from memory.api.engram.shapes import Json
from memory.engram import queries, sessions
from memory.engram.errors import SessionNotFound
from memory.engram.sessions import Registration as Registered

_RECENT = 5
_MOST = 500

RESERVED = "recent"
"""The id that no session can have: its address is that of the list."""

type Required = Annotated[Text, Field(pattern=r"\S")]


class Registration(Body):
    """The body of `POST /sessions`."""

    id: Text = ""
    project: Text = ""
    directory: Text = ""
    ownership_mode: Text = ""
    resume: bool = False
    isolated: bool = False


class Ending(Body):
    """The body of `POST /sessions/{id}/end`."""

    summary: Text = ""


class Runtime(StrictBody):
    """The body of `/runtime-sessions/…`."""

    id: Required
    project: Required
    directory: Required
    ownership_mode: Text = ""
    summary: Text = ""


def register(request: HttpRequest) -> HttpResponse:
    body = read(request, Registration)
    if body.id == RESERVED:
        raise Refusal(400, f'the session id "{RESERVED}" is reserved')
    made = sessions.register(**body.model_dump(), at=now())
    return reply(_told(made, "created"), status=201)


def detail(request: HttpRequest, key: str) -> HttpResponse:
    session = sessions.find(key)
    if session is None:
        raise SessionNotFound
    return reply(shapes.session(session))


def end(request: HttpRequest, key: str) -> HttpResponse:
    sessions.end(id=key, summary=read(request, Ending, may_be_empty=True).summary, at=now())
    return reply({"id": key, "status": "completed"})


def delete(request: HttpRequest, key: str) -> HttpResponse:
    sessions.delete(id=key, at=now())
    return reply({"id": key, "status": "deleted"})


def recent(request: HttpRequest) -> HttpResponse:
    project = scoping.chosen(request)
    return reply(
        [shapes.brief(one) for one in queries.recent_sessions(project, min(integer(request, "limit", _RECENT), _MOST))]
    )


def resolve_runtime(request: HttpRequest) -> HttpResponse:
    asked = read(request, Runtime).model_dump(exclude={"summary"})
    return reply(_told(sessions.runtime_resolve(**asked), "resolved"))


def end_runtime(request: HttpRequest) -> HttpResponse:
    return reply(_told(sessions.runtime_end(**read(request, Runtime).model_dump(), at=now()), "ended"))


def _told(found: Registered, status: str) -> Json:
    told = {"id": found.session.external_id, "status": status, "resumed_from": found.resumed_from}
    return without_empty(told, "resumed_from")
