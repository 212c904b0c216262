"""`/observations…`: memories saved one by one."""

from __future__ import annotations

import logging

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from memory.api.engram import scoping, shapes
from memory.api.engram.bodies import Body, Text, read
from memory.api.engram.parameters import flag, integer, row_id, text
from memory.api.engram.replies import Refusal, reply
from memory.api.engram.shapes import Json
from memory.engram import observations, queries, relations
from memory.engram.errors import NotFound
from memory.engram.observations import Edit
from memory.engram.relations import Candidate
from memory.models import Observation

logger = logging.getLogger("memdock.engram")

USUAL = 20
MOST = 500
_NEWEST_FIRST = {"", "created_at:desc"}


class Save(Body):
    """The body of `POST /observations`."""

    session_id: Text = ""
    title: Text = ""
    content: Text = ""
    type: Text = ""
    tool_name: Text = ""
    project: Text = ""
    scope: Text = ""
    topic_key: Text = ""
    operation_id: Text = ""


class Passive(Body):
    """The body of `POST /observations/passive`."""

    session_id: Text = ""
    content: Text = ""
    project: Text = ""
    source: Text = ""


class Change(Body):
    """The body of `PATCH /observations/{id}`."""

    type: Text | None = None
    title: Text | None = None
    content: Text | None = None
    find: Text | None = None
    replace: Text | None = None
    project: Text | None = None
    scope: Text | None = None
    topic_key: Text | None = None


def save(request: HttpRequest) -> HttpResponse:
    body, at = read(request, Save), now()
    row = observations.save(**body.model_dump(), at=at).observation
    found = _candidates(row)
    told: Json = {"id": row.pk, "status": "saved", "sync_id": row.sync_id, "state": shapes.state(row, at)}
    if found:
        told |= {"judgment_status": "pending", "judgment_id": found[0].judgment_id}
    told |= {"judgment_required": bool(found), "candidates": [shapes.candidate(one) for one in found]}
    return reply(told, status=201)


def save_passive(request: HttpRequest) -> HttpResponse:
    captured = observations.capture_passive(**read(request, Passive).model_dump(), at=now())
    return reply({"extracted": captured.extracted, "saved": captured.saved, "duplicates": captured.duplicates})


def index(request: HttpRequest) -> HttpResponse:
    if text(request, "sort") not in _NEWEST_FIRST:
        raise Refusal(400, "unsupported sort: use created_at:desc")
    return recent(request)


def recent(request: HttpRequest) -> HttpResponse:
    project = scoping.chosen(request)
    limit = integer(request, "limit", USUAL)
    rows = queries.observations(project=project, scope=text(request, "scope")).newest_first()
    return reply([shapes.observation(row) for row in rows[: min(limit, MOST) if limit > 0 else USUAL]])


def detail(request: HttpRequest, segment: str) -> HttpResponse:
    return reply(shapes.observation(_live(row_id(segment, "observation"))))


def change(request: HttpRequest, segment: str) -> HttpResponse:
    pk = row_id(segment, "observation")
    edit = Edit(**read(request, Change).model_dump())
    row = observations.update(pk=pk, edit=edit, expected_project=text(request, "expected_project"), at=now())
    return reply(shapes.observation(row))


def delete(request: HttpRequest, segment: str) -> HttpResponse:
    pk, hard = row_id(segment, "observation"), flag(request, "hard")
    observations.delete(pk=pk, hard=hard, expected_project=text(request, "expected_project"), at=now())
    return reply({"id": pk, "status": "deleted", "hard_delete": hard})


def pin(request: HttpRequest, segment: str) -> HttpResponse:
    return _pinned(segment, is_pinned=True)


def unpin(request: HttpRequest, segment: str) -> HttpResponse:
    return _pinned(segment, is_pinned=False)


def save_result(request: HttpRequest) -> HttpResponse:
    operation = text(request, "operation_id")
    if not operation.strip():
        raise Refusal(400, "operation_id is required")
    row = queries.saved_by(operation)
    if row is None:
        raise NotFound("operation not found")
    return reply({"id": row.pk, "status": "committed"})


def _pinned(segment: str, *, is_pinned: bool) -> HttpResponse:
    pk = row_id(segment, "observation")
    if pk <= 0:
        raise Refusal(400, "invalid observation id")
    observations.pin(pk=pk, is_pinned=is_pinned, at=now())
    return reply({"id": pk, "pinned": is_pinned})


def _live(pk: int) -> Observation:
    row = queries.find(pk)
    if row is None:
        raise NotFound("observation not found")
    return row


def _candidates(row: Observation) -> list[Candidate]:
    """What the memory may contradict; it is saved already, so a failure here must not look like one of the save."""
    try:
        return relations.candidates(row, at=now())
    except DatabaseError as exc:
        logger.warning("No candidates were looked for: %s", exc)
        return []
