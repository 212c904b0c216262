"""`/projects`: what is remembered about which code base."""

from __future__ import annotations

from pathlib import Path

from django.http import HttpRequest
from django.utils.timezone import now
from ninja import Query, Router, Status

from memory import models
from memory.api.auth import AuthedRequest, may
from memory.api.errors import ApiError, documented
from memory.api.v1 import lookup
from memory.api.v1.pages import page
from memory.api.v1.schemas.common import Page, Paging
from memory.api.v1.schemas.projects import NewProject, Project
from memory.models.token import Scope
from memory.projects import actions, queries, sync
from memory.projects.names import InvalidName
from memory.projects.registration import CannotRegister

router = Router(tags=["projects"])


@router.get(
    "/projects",
    operation_id="list_projects",
    summary="List projects",
    response=documented({200: Page[Project]}, 400, 422),
)
def index(request: HttpRequest, paging: Query[Paging]) -> Page[Project]:
    return page(queries.overview(), paging, order=("name",), shape=Project.of)


@router.post(
    "/projects",
    operation_id="add_project",
    summary="Register a project and read its memory",
    description="201 for a new project, 200 when the same directory was registered before. Its files are read anew.",
    auth=may(Scope.ADMIN, permission="memory.add_project"),
    response=documented({200: Project, 201: Project}, 400, 413, 415, 422),
)
def add(request: AuthedRequest, new: NewProject) -> Status[Project]:
    if not Path(new.root).is_absolute():
        raise ApiError(422, "A project needs the absolute path of its directory.", field="root")
    try:
        project, is_new = actions.add(path=new.root, name=new.name, actor=request.auth.actor(), at=now())
    except CannotRegister as exc:
        raise ApiError(422, str(exc), field=exc.field) from exc
    except InvalidName as exc:
        raise ApiError(422, str(exc), field="name") from exc
    sync.sync(project, at=now())
    return Status(201 if is_new else 200, _described(project))


@router.get(
    "/projects/{anything:name}",
    operation_id="get_project",
    summary="Describe one project",
    response=documented({200: Project}, 404),
)
def detail(request: HttpRequest, name: str) -> Project:
    return _described(lookup.project(name))


def _described(project: models.Project) -> Project:
    return Project.of(queries.overview().get(pk=project.pk))
