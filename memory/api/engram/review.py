"""`/review…`: memories whose review date has come."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.timezone import now

from memory.api.engram import scoping, shapes
from memory.api.engram.bodies import Body, Id, read
from memory.api.engram.parameters import integer
from memory.api.engram.replies import Refusal, reply
from memory.engram import review

_LISTED = 10
_MOST = 500


class Reviewed(Body):
    """The body of `POST /review/mark_reviewed`; `id` says the same as `observation_id`."""

    observation_id: Id = 0
    id: Id = 0


def index(request: HttpRequest) -> HttpResponse:
    at, limit = now(), integer(request, "limit", _LISTED)
    limit = min(limit, _MOST) if limit > 0 else _LISTED
    rows = [shapes.review_item(row, at) for row in review.due(project=scoping.chosen(request), limit=limit, now=at)]
    return reply({"observations": rows, "count": len(rows)})


def mark(request: HttpRequest) -> HttpResponse:
    body, at = read(request, Reviewed), now()
    pk = body.observation_id or body.id
    if pk <= 0:
        raise Refusal(400, "observation_id is required")
    return reply(shapes.review_item(review.mark_reviewed(pk=pk, at=at), at))
