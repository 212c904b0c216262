"""`/changes`: the change feed, for those who do not keep a socket open."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from memory import changes
from memory.api.errors import ApiError, documented
from memory.api.shapes import as_json
from memory.api.v1 import lookup
from memory.api.v1.schemas.changes import Changes
from memory.changes import ResetRequired

router = Router(tags=["changes"])


class Filter(Schema):
    """Which changes are wanted."""

    after: int = Field(0, ge=0, description="Id of the last change that is known.")
    project: str = Field("", description="Name or alias of a project; empty for all.")
    limit: int = Field(50, ge=1, le=200, description="How many items at most.")


@router.get(
    "/changes",
    operation_id="list_changes",
    summary="List what happened after a change, oldest first",
    description="410 `reset_required` when the log no longer reaches back to `after`: read the state anew.",
    response=documented({200: Changes}, 400, 404, 410, 422),
)
def index(request: HttpRequest, wanted: Query[Filter]) -> Changes:
    project = lookup.chosen_project(wanted.project)
    try:
        changes.check(wanted.after)
    except ResetRequired as exc:
        raise ApiError(410, "The log does not tell everything after this change: read the state anew.") from exc
    latest = changes.latest()
    rows = changes.after(wanted.after, project=project, limit=wanted.limit + 1)
    # What was committed since `latest` was read waits for the next request, or it would be told twice.
    told = [row for row in rows if row.pk <= latest]
    items = told[: wanted.limit]
    return Changes(
        items=[as_json(row) for row in items],
        next=items[-1].pk if len(told) > wanted.limit else None,
        latest=latest,
    )
