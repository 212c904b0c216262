"""`/search`: everything that is remembered, by words and meaning."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from memory.api.errors import documented
from memory.api.v1 import lookup
from memory.api.v1.schemas.common import Day, Paging
from memory.api.v1.schemas.search import Results
from memory.search import query
from memory.search.types import Filters

router = Router(tags=["search"])


class Asked(Schema):
    """What is looked for; what is empty does not restrict."""

    q: str = Field(
        "",
        description='Any text. `"exact words"`, `-word`, `project:`, `kind:`, `type:`, `session:`, `since:` and '
        "`until:` are understood; whatever else it holds is looked for as it stands.",
    )
    project: str = Field("", description="Name or alias of a project.")
    kind: str = Field("", description="Such as entry, session, skill.")
    type: str = ""
    platform: str = Field("", description="The agent, such as claude-code.")
    since: Day | None = Field(None, description="The first day, local.", json_schema_extra={"format": "date"})
    until: Day | None = Field(None, description="The last day, local.", json_schema_extra={"format": "date"})
    session: str = Field("", description="Key of a session.")

    def filters(self) -> Filters:
        project = lookup.chosen_project(self.project)
        return Filters(
            project=project.name if project else "",
            kind=self.kind,
            type=self.type,
            platform=self.platform,
            session=self.session,
            since=self.since,
            until=self.until,
        )


@router.get(
    "/search",
    operation_id="search",
    summary="Search what is remembered",
    description="The best first. What a query does not say in its text can be said in the other parameters.",
    response=documented({200: Results}, 400, 404, 422),
    exclude_unset=True,
)
def index(request: HttpRequest, asked: Query[Asked], paging: Query[Paging]) -> Results:
    found = query.search(asked.q, filters=asked.filters(), limit=paging.limit, cursor=paging.cursor)
    return Results.of(found)
