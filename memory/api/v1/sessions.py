"""`/sessions`: conversations of agents."""

from __future__ import annotations

from functools import partial
from typing import Annotated, cast

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now
from ninja import Query, Router, Schema
from pydantic import Field, WithJsonSchema

from memory import models
from memory.api.errors import documented
from memory.api.v1 import lookup
from memory.api.v1.pages import page
from memory.api.v1.schemas.common import Page, Paging, Text
from memory.api.v1.schemas.sessions import Session
from memory.models.session import SessionQuerySet, SessionState
from memory.sessions import queries

router = Router(tags=["sessions"])


State = Annotated[SessionState | None, WithJsonSchema({"type": "string", "enum": SessionState.values})]
"""A query can leave the state out, but it cannot say null."""


class Filter(Schema):
    """Which sessions are wanted; what is empty does not restrict."""

    project: str = Field("", description="Name or alias of a project.")
    platform: Text = Field("", description="The agent, such as claude-code.")
    state: State = None

    def rows(self) -> QuerySet[models.Session]:
        rows = cast("SessionQuerySet", queries.sessions(lookup.chosen_project(self.project)))
        if self.platform:
            rows = rows.filter(platform=self.platform)
        match self.state:
            case SessionState.LIVE:
                return rows.live(now())
            case SessionState.ENDED:
                return rows.ended()
            case SessionState.OPEN:
                return rows.without_end(now())
        return rows


@router.get(
    "/sessions",
    operation_id="list_sessions",
    summary="List sessions, newest first",
    response=documented({200: Page[Session]}, 400, 404, 422),
)
def index(request: HttpRequest, wanted: Query[Filter], paging: Query[Paging]) -> Page[Session]:
    return page(wanted.rows(), paging, order=queries.ORDER, shape=partial(Session.of, now=now()))


@router.get(
    "/sessions/{anything:key}",
    operation_id="get_session",
    summary="Describe one session",
    description="A key may hold any characters: percent-encoded, or as `~` and its base64url.",
    response=documented({200: Session}, 404),
)
def detail(request: HttpRequest, key: str) -> Session:
    return Session.of(lookup.session(key), now=now())
