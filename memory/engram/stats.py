"""How much is remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memory.models import Observation, Project, ProjectDirectory, Prompt, Session
from memory.models.project import NO_PROJECT


@dataclass(frozen=True, slots=True)
class Stats:
    """Numbers of what is not deleted; `projects` are those that have memories, the newest memory's first."""

    total_sessions: int
    total_observations: int
    total_prompts: int
    projects: list[str]


@dataclass(frozen=True, slots=True)
class ProjectStats:
    """What one project has; `directories` are those that agents work in."""

    name: str
    observations: int
    sessions: int
    prompts: int
    directories: list[str]


def stats(project: Project | None = None) -> Stats:
    """Count what one project has, or all of them have together. Three queries."""
    own = {"project": project} if project else {}
    counted = Observation.objects.live().filter(**own).order_by().values("project__name")
    rows = list(counted.annotate(n=Count("pk"), newest=Max("created_at")).order_by("-newest", "project__name"))
    return Stats(
        total_sessions=Session.objects.registered().filter(**own).count(),
        total_observations=sum(row["n"] for row in rows),
        total_prompts=Prompt.objects.filter(**own).count(),
        projects=[row["project__name"] for row in rows if row["project__name"] != NO_PROJECT],
    )


def projects() -> list[ProjectStats]:
    """Count what each project has, the one with most memories first; those without any row are left out.

    Three queries.
    """
    rows = Project.objects.exclude(name=NO_PROJECT).annotate(
        observation_count=_number(Observation.objects.live()),
        session_count=_number(Session.objects.registered()),
        prompt_count=_number(Prompt.objects.all()),
    )
    directories = _directories()
    return [
        ProjectStats(row.name, row.observation_count, row.session_count, row.prompt_count, directories.get(row.pk, []))
        for row in rows.order_by("-observation_count", "name")
        if row.observation_count or row.session_count or row.prompt_count
    ]


def _directories() -> dict[int, list[str]]:
    used = Session.objects.registered().exclude(directory="").values_list("project", "directory").distinct()
    told = ProjectDirectory.objects.values_list("project", "directory")
    found: dict[int, set[str]] = {}
    for pk, directory in [*used, *told]:
        found.setdefault(pk, set()).add(directory)
    return {pk: sorted(directories) for pk, directories in found.items()}


def _number(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.filter(project=OuterRef("pk")).order_by().values("project").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
