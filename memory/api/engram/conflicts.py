"""`/conflicts…`: what may contradict what, and what was judged about it."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now
from pydantic import Field

from memory.api.engram import scoping, shapes
from memory.api.engram.bodies import Body, Id, Text, read
from memory.api.engram.parameters import instant, integer, moment, row_id, text
from memory.api.engram.replies import Refusal, reply, without_empty
from memory.engram import naming, relations, scanning
from memory.engram.errors import NotFound
from memory.models import Project

_LISTED = 50
_COMPARED = ("memory_id_a", "memory_id_b", "relation", "confidence", "reasoning")


class Verdict(Body):
    """The body of `POST /conflicts/judge`."""

    judgment_id: Text = ""
    relation: Text = ""
    reason: Text = ""
    evidence: Text = ""
    confidence: float | None = None
    session_id: Text = ""


class Comparison(Body):
    """The body of `POST /conflicts/compare`."""

    memory_id_a: Id | None = None
    memory_id_b: Id | None = None
    relation: Text | None = None
    confidence: float | None = None
    reasoning: Text | None = None
    model: Text = ""


class Scan(Body):
    """The body of `POST /conflicts/scan`."""

    project: Text | None = None
    all_projects: bool = False
    since: Text = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 100
    cursor: Annotated[Id, Field(ge=0)] = 0
    apply: bool = False
    max_insert: Annotated[int, Field(ge=1, le=10_000)] = 100
    semantic: bool = False


def index(request: HttpRequest) -> HttpResponse:
    page = relations.listing(
        project=scoping.chosen(request),
        status=text(request, "status"),
        since=moment(request, "since"),
        limit=integer(request, "limit", _LISTED),
        offset=_offset(request),
    )
    rows = [{"id": row.pk} | shapes.relation_item(row) for row in page.relations]
    return reply({"total": page.total, "limit": page.limit, "offset": page.offset, "relations": rows})


def stats(request: HttpRequest) -> HttpResponse:
    project = scoping.chosen(request)
    counted = relations.stats(project)
    return reply(
        {
            "project": _name(project),
            "by_relation": counted.by_relation,
            "by_judgment_status": counted.by_judgment_status,
            "deferred": counted.deferred,
            "dead": 0,
        }
    )


def detail(request: HttpRequest, segment: str) -> HttpResponse:
    row = relations.find(row_id(segment, "relation"))
    if row is None:
        raise NotFound("relation not found")
    return reply({"relation_id": row.pk} | shapes.relation_item(row, ends="snippet"))


def deferred(request: HttpRequest) -> HttpResponse:
    limit, offset = integer(request, "limit", _LISTED), _offset(request)
    limit = min(limit, relations.MOST_LISTED) if limit > 0 else _LISTED
    rows = relations.unresolved()
    if text(request, "status") not in {"", "deferred"}:  # Engram gives up after five tries; here nothing ever does
        rows = rows.none()
    page = rows.select_related("project")[offset : offset + limit]
    return reply({"total": rows.count(), "limit": limit, "rows": [shapes.deferred(row) for row in page]})


def replay(request: HttpRequest) -> HttpResponse:
    waiting, joined = relations.replay()
    return reply({"retried": waiting, "succeeded": joined, "failed": waiting - joined, "dead": 0})


def judge(request: HttpRequest) -> HttpResponse:
    row = relations.judge(**read(request, Verdict).model_dump(), at=now())
    return reply({"relation": shapes.relation(row)})


def compare(request: HttpRequest) -> HttpResponse:
    body = read(request, Comparison)
    if missing := next((name for name in _COMPARED if getattr(body, name) in {None, ""}), ""):
        raise Refusal(400, f"{missing} is required")
    row = relations.compare(
        a=body.memory_id_a or 0,
        b=body.memory_id_b or 0,
        relation=body.relation or "",
        confidence=body.confidence,
        reasoning=body.reasoning or "",
        model=body.model,
        at=now(),
    )
    return reply({"sync_id": row.sync_id})


def scan(request: HttpRequest) -> HttpResponse:
    body = read(request, Scan)
    if body.semantic:
        raise Refusal(400, "a semantic scan needs an agent, and this server starts none", code="semantic_unavailable")
    project = scoping.named(body.project, all_projects=body.all_projects)
    found = scanning.scan(
        project=project,
        since=instant(body.since, "since"),
        limit=body.limit,
        cursor=body.cursor,
        apply=body.apply,
        max_insert=body.max_insert,
        at=now(),
    )
    told = {
        "project": _name(project),
        "inspected": found.inspected,
        "ranked_queries": found.inspected,
        "candidates_found": found.candidates_found,
        "already_related": found.already_related,
        "inserted": found.inserted,
        "capped": found.capped,
        "dry_run": not body.apply,
        "semantic_judged": 0,
        "semantic_skipped": 0,
        "semantic_errors": 0,
        "next_cursor": found.next_cursor,
    }
    return reply(without_empty(told, "next_cursor"))


def _name(project: Project | None) -> str:
    return naming.wire_name(project) if project else ""


def _offset(request: HttpRequest) -> int:
    return min(max(integer(request, "offset"), 0), 2**31)
