"""What is asked about skill candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When

from memory.models import Project, ReplacedCopy, SkillCandidate, SkillCopy, SkillDecision, SkillJob, SkillRevision
from memory.models.skill import SkillReview, SkillStatus
from memory.models.skill_desk import CopyState, JobState

type State = Literal[
    "waiting", "changes_requested", "approved", "installed", "edited", "snoozed", "rejected", "broken", "all"
]
"""The lists of the desk: `waiting` is for a person to decide, `edited` has a copy that is not what was installed."""

_BROKEN = Q(status=SkillStatus.BROKEN)
_ODD_COPIES = SkillCopy.objects.filter(skill=OuterRef("pk"), state__in=[CopyState.EDITED, CopyState.MISSING])
_NEWS_OF_COPIES = _ODD_COPIES.filter(Q(checked_at__gt=OuterRef("reviewed_at")) | Q(skill__reviewed_at=None))
_STATES: Mapping[State, Q] = {
    # A text that nobody decided about, or a copy that turned out changed or gone after the last decision.
    "waiting": ~_BROKEN
    & (
        (Q(review=SkillReview.PENDING) & ~Q(pending=""))
        | (Q(review__in=[SkillReview.PENDING, SkillReview.APPROVED]) & Q(Exists(_NEWS_OF_COPIES)))
    ),
    "changes_requested": Q(review=SkillReview.CHANGES_REQUESTED),
    "approved": Q(review=SkillReview.APPROVED),
    "installed": Q(status=SkillStatus.INSTALLED),
    "edited": Q(Exists(_ODD_COPIES)),
    "snoozed": Q(review=SkillReview.SNOOZED),
    "rejected": Q(review=SkillReview.REJECTED),
    "broken": _BROKEN,
    "all": Q(),
}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many skills are in each list; one may be in several."""

    waiting: int
    changes_requested: int
    approved: int
    installed: int
    edited: int
    snoozed: int
    rejected: int
    broken: int
    all: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The skills before and after one in a list; `position` counts from 1 and is 0 for one that is not in it."""

    before: SkillCandidate | None
    after: SkillCandidate | None
    position: int
    total: int


type Event = Literal["decision", "content"]


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that happened to a skill: a decision with the job that it asked for, or a content seen on disk."""

    event: Event
    at: datetime
    content_hash: str
    decision: SkillDecision | None = None
    job: SkillJob | None = None
    revision: SkillRevision | None = None


def skills(project: Project | None = None) -> QuerySet[SkillCandidate]:
    """Return candidates with their project: what waits first, then by name."""
    rank = Case(
        When(pending="new", then=Value(0)),
        When(pending="updated", then=Value(1)),
        When(status="broken", then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    rows = (
        SkillCandidate.objects.select_related("project")
        .defer("project__problems")
        .annotate(rank=rank)
        .order_by("rank", "slug", "pk")
    )
    return rows.filter(project=project) if project else rows


def find(project: Project, slug: str) -> SkillCandidate | None:
    """Return one candidate of a project. One query."""
    return None if "\0" in slug else skills(project).filter(slug=slug).first()


def inbox(project: Project | None, review: State = "waiting") -> QuerySet[SkillCandidate]:
    """Return the candidates of one list, in the order in which a person goes through them."""
    return skills(project).filter(_STATES[review])


def counts(project: Project | None) -> Counts:
    """Count each list. One query."""
    rows = SkillCandidate.objects.filter(project=project) if project else SkillCandidate.objects.all()
    counted = {name: Count("pk", filter=wanted or None) for name, wanted in _STATES.items()}
    return Counts(**rows.aggregate(**counted))


def neighbours(skill: SkillCandidate, review: State = "waiting") -> Neighbours:
    """Return what stands around a skill in a list of its project. One query, and one for each neighbour."""
    order = list(inbox(skill.project, review).values_list("pk", flat=True))
    if skill.pk not in order:
        return Neighbours(None, inbox(skill.project, review).exclude(pk=skill.pk).first(), 0, len(order))
    place = order.index(skill.pk)
    around = skills(skill.project).in_bulk(order[max(0, place - 1) : place] + order[place + 1 : place + 2])
    before = around.get(order[place - 1]) if place else None
    after = around.get(order[place + 1]) if place + 1 < len(order) else None
    return Neighbours(before, after, place + 1, len(order))


def decisions(skill: SkillCandidate) -> QuerySet[SkillDecision]:
    """Return the decisions about a skill, the newest first, also those about an earlier candidate of its name."""
    rows = SkillDecision.objects.filter(project=skill.project_id, slug=skill.slug)
    return rows.select_related("job").order_by("-pk")


def recent_decisions(project: Project | None) -> QuerySet[SkillDecision]:
    """Return the latest decisions of a project, or of all."""
    rows = SkillDecision.objects.select_related("project", "skill", "job").defer("project__problems")
    return (rows.filter(project=project) if project else rows).order_by("-pk")


def last_approval(skill: SkillCandidate) -> SkillDecision | None:
    """Return the last decision that let a content of this skill in. One query."""
    return decisions(skill).filter(action__in=["approve", "install"]).first()


def history(skill: SkillCandidate, *, limit: int = 100) -> list[Happened]:
    """Return what happened to a skill, the newest first. Two queries."""
    decided = [
        Happened("decision", row.at, row.content_hash, decision=row, job=getattr(row, "job", None))
        for row in decisions(skill)[:limit]
    ]
    seen = [
        Happened("content", row.seen_at, row.content_hash, revision=row)
        for row in skill.revisions.defer("text").order_by("-number")[:limit]
    ]
    return sorted([*decided, *seen], key=lambda one: one.at, reverse=True)[:limit]


def text_of(skill: SkillCandidate, content_hash: str) -> str | None:
    """Return a text that the skill has or had; None where MemDock never saw it. One query."""
    if content_hash and content_hash == skill.content_hash:
        return skill.text
    return skill.revisions.filter(content_hash=content_hash).values_list("text", flat=True).order_by("-number").first()


def replaced(skill: SkillCandidate) -> QuerySet[ReplacedCopy]:
    """Return the copies that were overwritten or taken away, the newest first, without their bytes."""
    return ReplacedCopy.objects.filter(project=skill.project_id, slug=skill.slug).defer("content").order_by("-pk")


def open_job(skill: SkillCandidate) -> SkillJob | None:
    """Return the job that waits or runs for a skill. One query."""
    waiting = [JobState.QUEUED, JobState.RUNNING]
    return SkillJob.objects.filter(project=skill.project_id, slug=skill.slug, state__in=waiting).order_by("pk").first()
