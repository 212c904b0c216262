"""`/projects/{name}/skills`: skill candidates."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router

from memory.api.errors import documented
from memory.api.v1 import lookup
from memory.api.v1.pages import page
from memory.api.v1.schemas.common import Page, Paging
from memory.api.v1.schemas.skills import Skill
from memory.skills import queries

router = Router(tags=["skills"])


@router.get(
    "/projects/{anything:name}/skills",
    operation_id="list_skills",
    summary="List the skill candidates of a project by slug",
    response=documented({200: Page[Skill]}, 400, 404, 422),
)
def index(request: HttpRequest, name: str, paging: Query[Paging]) -> Page[Skill]:
    rows = queries.skills(lookup.project(name)).defer("text", "extra")
    return page(rows, paging, order=("slug",), shape=Skill.of)


@router.get(
    "/projects/{anything:name}/skills/{slug}",
    operation_id="get_skill",
    summary="Read one skill candidate",
    response=documented({200: Skill}, 404),
)
def detail(request: HttpRequest, name: str, slug: str) -> Skill:
    return Skill.of(lookup.skill(lookup.project(name), slug))
