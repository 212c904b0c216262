"""`/projects/{name}/journals`: day files."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router

from memory.api.errors import documented, not_found
from memory.api.v1 import entries, lookup
from memory.api.v1.pages import page
from memory.api.v1.schemas import common
from memory.api.v1.schemas.common import Page, Paging
from memory.api.v1.schemas.journals import Day, Journal
from memory.journal import queries

router = Router(tags=["journals"])


@router.get(
    "/projects/{anything:name}/journals",
    operation_id="list_journals",
    summary="List the day files of a project, newest first",
    response=documented({200: Page[Day]}, 400, 404, 422),
)
def index(request: HttpRequest, name: str, paging: Query[Paging]) -> Page[Day]:
    rows = queries.journals(lookup.project(name)).defer("notes")
    return page(rows, paging, order=("-date",), shape=Day.of)


@router.get(
    "/projects/{anything:name}/journals/{date}",
    operation_id="get_journal",
    summary="Read one day file with all its entries",
    response=documented({200: Journal}, 404, 422),
)
def detail(request: HttpRequest, name: str, date: common.Day) -> Journal:
    project = lookup.project(name)
    journal = queries.journals(project).defer("notes").filter(date=date).first()
    if journal is None:
        raise not_found("journal")
    return Journal.of(journal, entries.rows(project).filter(journal=journal).order_by("ordinal", "pk"))
