"""`/projects/{name}/skills`: skill candidates and the decisions about them."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.timezone import now
from ninja import Query, Router, Status

from memory import models
from memory.api.auth import AuthedRequest, may
from memory.api.errors import ApiError, documented, not_found
from memory.api.v1 import lookup
from memory.api.v1.pages import page
from memory.api.v1.schemas.common import Page, Paging
from memory.api.v1.schemas.skills import Accepted, Job, NewDecision, Skill
from memory.models.token import Scope
from memory.projects import sync
from memory.skills import queries, review
from memory.skills.errors import SkillError

router = Router(tags=["skills"])

# Agents hold tokens that may write; what they propose is decided by people.
DECIDE = may(Scope.ADMIN, permission="memory.change_skillcandidate")


@router.get(
    "/projects/{anything:name}/skills",
    operation_id="list_skills",
    summary="List the skill candidates of a project by slug",
    response=documented({200: Page[Skill]}, 400, 404, 422),
)
def index(request: HttpRequest, name: str, paging: Query[Paging]) -> Page[Skill]:
    project = lookup.project(name)
    found = page(queries.skills(project).defer("text", "extra"), paging, order=("slug",), shape=lambda row: row)
    return Page(items=Skill.many(project, found.items), next=found.next)


@router.post(
    "/projects/{anything:name}/skills/{slug}/decisions",
    operation_id="decide_on_skill",
    summary="Decide about one content of a skill candidate",
    description="202 with a job for `install`, `uninstall` and `restore`. 409 `content_changed` when the content on "
    "disk is another one by now, and `copy_differs` when a file that would be replaced was not let go.",
    auth=DECIDE,
    response=documented({200: Skill, 202: Accepted}, 400, 404, 409, 413, 415, 422),
)
def decide(request: AuthedRequest, name: str, slug: str, new: NewDecision) -> Status[Skill] | Status[Accepted]:
    project = lookup.project(name)
    skill = lookup.skill(project, slug)
    try:
        decision = review.decide(
            skill_pk=skill.pk,
            action=new.action,
            content_hash=new.content_hash,
            note=new.note,
            until=new.until,
            targets=new.targets,
            overwrite=new.overwrite,
            session_key=new.session,
            actor=request.auth.actor(),
            at=now(),
        )
    except SkillError as exc:
        raise _refusal(exc, project) from exc
    if new.action in review.ON_COPIES:
        return Status(202, Accepted(job=Job.of(decision.job)))
    return Status(200, _described(project, skill.slug))


@router.get(
    "/projects/{anything:name}/skills/{slug}",
    operation_id="get_skill",
    summary="Read one skill candidate",
    response=documented({200: Skill}, 404),
)
def detail(request: HttpRequest, name: str, slug: str) -> Skill:
    project = lookup.project(name)
    return _described(project, lookup.skill(project, slug).slug)


def _described(project: models.Project, slug: str) -> Skill:
    return Skill.many(project, [lookup.skill(project, slug)])[0]


def _refusal(exc: SkillError, project: models.Project) -> ApiError:
    match exc:
        case review.ContentChanged():
            sync.sync(project, at=now())  # so that whoever asks again is told what it is now
            return ApiError(409, str(exc), code="content_changed", field="content_hash")
        case review.CopyDiffers():
            return ApiError(409, str(exc), code="copy_differs", field="overwrite")
        case review.NotPossible():
            return ApiError(409, str(exc))
        case review.NoSuchSkill():
            return not_found("skill")
        case review.NoteNeeded():
            return ApiError(422, str(exc), field="note")
        case review.TimeNeeded():
            return ApiError(422, str(exc), field="until")
    return ApiError(422, str(exc), field="targets")
