"""`/prompts…`: what people asked their agents."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from memory.api.engram import scoping, shapes
from memory.api.engram.bodies import Body, Text, read
from memory.api.engram.parameters import integer, row_id, text
from memory.api.engram.replies import Refusal, reply
from memory.engram import prompts

_LISTED = 20
_FOUND = 10
_MOST = 500


class Save(Body):
    """The body of `POST /prompts`."""

    session_id: Text = ""
    content: Text = ""
    project: Text = ""
    source_inbox_id: Text = ""


def save(request: HttpRequest) -> HttpResponse:
    row = prompts.save(**read(request, Save).model_dump(), at=now())
    return reply({"id": row.pk, "status": "saved"}, status=201)


def recent(request: HttpRequest) -> HttpResponse:
    rows = prompts.recent(scoping.chosen(request), _limit(request, _LISTED))
    return reply([shapes.prompt(row) for row in rows])


def search(request: HttpRequest) -> HttpResponse:
    asked = text(request, "q")
    if not asked.strip():
        raise Refusal(400, "q parameter is required")
    rows = prompts.search(asked, scoping.chosen(request), _limit(request, _FOUND))
    return reply([shapes.prompt(row) for row in rows])


def delete(request: HttpRequest, segment: str) -> HttpResponse:
    pk = row_id(segment, "prompt")
    prompts.delete(pk=pk, at=now())
    return reply({"id": pk, "status": "deleted"})


def _limit(request: HttpRequest, usual: int) -> int:
    limit = integer(request, "limit", usual)
    return min(limit, _MOST) if limit > 0 else usual
