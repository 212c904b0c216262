"""What is asked about projects."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from memory.models import Journal, Observation, Project, ProjectAlias, Session, SkillCandidate
from memory.models.skill import SkillReview
from memory.projects import names

_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")


def find(name: str) -> Project | None:
    """Return the project of this name or alias, however it is spelled. One query."""
    wanted = names.canonical(name)
    if not wanted or _UNSTORABLE.search(wanted):
        return None
    return Project.objects.filter(Q(name=wanted) | Q(aliases__name=wanted)).distinct().first()


def answering(wanted: Iterable[str]) -> dict[str, str]:
    """Return the names of projects by those other names of theirs that are among these canonical ones. One query."""
    return dict(ProjectAlias.objects.filter(name__in=set(wanted)).values_list("name", "project__name"))


def brief() -> QuerySet[Project]:
    """Return all projects with `entry_count`, by name. One query over day files, not over entries."""
    counted: QuerySet[Any] = (
        Journal.objects.filter(project=OuterRef("pk")).order_by().values("project").annotate(n=Sum("entry_count"))
    )
    return Project.objects.annotate(entry_count=_number(counted)).order_by("name")


def overview() -> QuerySet[Project]:
    """Return all projects with every count of contract section 5 and `last_activity`, by name. One query."""
    return brief().annotate(
        journal_count=_number(_per_project(Journal.objects.all())),
        session_count=_number(_per_project(Session.objects.all())),
        observation_count=_number(_per_project(Observation.objects.live())),
        pending_skill_count=_number(_per_project(_pending_skills())),
        last_activity=Subquery(
            Session.objects.filter(project=OuterRef("pk"))
            .order_by()
            .values("project")
            .annotate(newest=Max("last_activity_at"))
            .values("newest")
        ),
    )


def _pending_skills() -> QuerySet[SkillCandidate]:
    """Return the skills that could be installed, as MemSearch counts them, without those that people turned down."""
    return SkillCandidate.objects.exclude(pending="").exclude(review__in=[SkillReview.REJECTED, SkillReview.SNOOZED])


def _per_project(rows: QuerySet[Any]) -> QuerySet[Any]:
    counted: QuerySet[Any] = rows.filter(project=OuterRef("pk")).order_by().values("project").annotate(n=Count("pk"))
    return counted


def _number(counted: QuerySet[Any]) -> Coalesce:
    return Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), 0)
