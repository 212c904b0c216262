"""Skill candidates, decisions about them and jobs as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Literal, Self, cast

from ninja import Schema
from pydantic import AwareDatetime, Field

from memory import models
from memory.api.v1.schemas.common import Moment, Text
from memory.models.skill import SkillReview, SkillStatus
from memory.models.skill_desk import JobState, SkillAction
from memory.skills import review
from memory.skills import targets as places
from memory.skills.found import State

DECISIONS = 50
"""Decisions of one skill that are told, the newest first."""


class Target(Schema):
    """A place where a skill can be installed, and what is there of it."""

    name: str = Field(description="What a decision names in `targets`.")
    path: str
    note: str
    copy_state: State
    copy_hash: str = Field(description="Git's blob hash of the file that is there; empty where none is.")
    asks: bool = Field(description="Whether replacing this file needs its hash in `overwrite`.")

    @classmethod
    def of(cls, target: places.Target) -> Self:
        return cls(
            name=target.name,
            path=target.path,
            note=target.note,
            copy_state=target.copy_state,
            copy_hash=target.copy_hash,
            asks=target.asks,
        )


class TargetResult(Schema):
    """What became of a job at one target."""

    target: str
    path: str
    outcome: str
    error: str


class Job(Schema):
    """The work on copies that a decision asked for."""

    id: int
    state: JobState
    results: list[TargetResult]
    error: str
    created_at: Moment
    finished_at: Moment | None

    @classmethod
    def of(cls, row: models.SkillJob) -> Self:
        return cls(
            id=row.pk,
            state=JobState(row.state),
            results=[TargetResult(**one) for one in row.results],
            error=row.error,
            created_at=row.created_at,
            finished_at=row.finished_at,
        )


class Decision(Schema):
    """What a person decided about a skill, and on which content."""

    action: SkillAction
    content_hash: str
    note: str
    targets: list[str]
    until: Moment | None
    by: str
    at: Moment
    message: str = Field(description="What became of a queued review, for people.")
    job: Job | None

    @classmethod
    def of(cls, row: models.SkillDecision) -> Self:
        job = getattr(row, "job", None)
        return cls(
            action=SkillAction(row.action),
            content_hash=row.content_hash,
            note=row.note,
            targets=row.targets,
            until=row.until,
            by=row.actor_label,
            at=row.at,
            message=review.delivery(row) if row.action == SkillAction.QUEUE_REVIEW else "",
            job=Job.of(job) if job else None,
        )


class Skill(Schema):
    """One skill candidate as it is on disk, and what people decided about it."""

    project: str
    slug: str
    title: str
    description: str
    status: SkillStatus
    review: SkillReview
    content_hash: str = Field(description="Git's blob hash of SKILL.md; empty when it could not be read.")
    installed_hash: str
    pending: Literal["new", "updated"] | None
    occurrences: int | None
    sources: list[str]
    reason: str
    installed_paths: list[str]
    problems: list[str]
    body: str = Field(description="SKILL.md without its front matter.")
    targets: list[Target]
    decisions: list[Decision]

    @classmethod
    def many(cls, project: models.Project, rows: Sequence[models.SkillCandidate]) -> list[Self]:
        """Describe candidates of one project. Four queries; looks at the disk."""
        offered = places.of_many(project, rows)
        decided: dict[str, list[models.SkillDecision]] = defaultdict(list)
        decisions = models.SkillDecision.objects.filter(project=project, slug__in=[row.slug for row in rows])
        for decision in decisions.select_related("job").order_by("-pk"):
            decided[decision.slug].append(decision)
        return [cls._of(project, row, offered[row.pk], decided[row.slug][:DECISIONS]) for row in rows]

    @classmethod
    def _of(
        cls,
        project: models.Project,
        row: models.SkillCandidate,
        offered: Sequence[places.Target],
        decisions: Sequence[models.SkillDecision],
    ) -> Self:
        return cls(
            project=project.name,
            slug=row.slug,
            title=row.title,
            description=row.description,
            status=SkillStatus(row.status),
            review=SkillReview(row.review),
            content_hash=row.content_hash,
            installed_hash=row.installed_hash,
            pending=cast("Literal['new', 'updated'] | None", row.pending or None),
            occurrences=row.occurrences,
            sources=row.sources,
            reason=row.reason,
            installed_paths=row.installed_paths,
            problems=row.problems,
            body=row.body,
            targets=[Target.of(target) for target in offered],
            decisions=[Decision.of(decision) for decision in decisions],
        )


class NewDecision(Schema):
    """A decision about the content that has this hash."""

    action: SkillAction
    content_hash: str = Field(max_length=60)
    note: Text = Field("", max_length=4000, description="Why; needed to reject or to ask for changes.")
    targets: Annotated[list[str], Field(max_length=50)] = []
    overwrite: dict[str, str] = Field({}, description="{target: hash of the copy that is let go}")
    until: AwareDatetime | None = Field(None, description="When a snoozed skill comes back.")
    session: str = Field("", description="Whose agent is asked, for `queue_review`; empty for any of the project.")


class Accepted(Schema):
    """The job that was queued; its outcome stands with the decision."""

    job: Job
