"""What is asked about observations, prompts and registered sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memory.engram import naming
from memory.models import Observation, Project, Prompt, Session
from memory.models.observation import ObservationQuerySet

_LARGEST_ID = 2**63 - 1
_USUAL_SESSIONS = 5


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of memories: `live` ones, and of those the pinned and the ones due for review."""

    live: int
    pinned: int
    due: int
    deleted: int
    prompts: int


def observations(
    *,
    project: Project | None = None,
    scope: str = "",
    type: str = "",  # noqa: A002 - the field's name on the wire
    session: Session | None = None,
) -> ObservationQuerySet:
    """Return live observations with their session and project; what is empty does not restrict."""
    rows = with_deleted().live()
    wanted: dict[str, Any] = {"project": project, "type": type, "session": session}
    if scope.strip():
        wanted["scope"] = naming.scope(scope)
    return rows.filter(**{name: value for name, value in wanted.items() if value})


def with_deleted() -> ObservationQuerySet:
    """Return every observation with its session and project."""
    return Observation.objects.select_related("session", "project").defer("project__problems")


def find(pk: int, *, may_be_deleted: bool = False) -> Observation | None:
    """Return the observation of this id with its session and project; a deleted one only where it may be. One query."""
    rows = with_deleted() if may_be_deleted else with_deleted().live()
    return rows.filter(pk=pk).first() if 0 < pk <= _LARGEST_ID else None


def saved_by(operation_id: str) -> Observation | None:
    """Return what an operation saved. One query."""
    if not operation_id or "\0" in operation_id:
        return None
    return with_deleted().exclude(operation_id="").filter(operation_id=operation_id).first()


def find_prompt(pk: int) -> Prompt | None:
    """Return the prompt of this id with its session and project. One query."""
    rows = Prompt.objects.select_related("session", "project").defer("project__problems")
    return rows.filter(pk=pk).first() if 0 < pk <= _LARGEST_ID else None


def prompts(*, project: Project | None = None, session: Session | None = None) -> QuerySet[Prompt]:
    """Return prompts with their session and project; what is empty does not restrict."""
    rows = Prompt.objects.select_related("session", "project").defer("project__problems")
    wanted = {"project": project, "session": session}
    return rows.filter(**{name: value for name, value in wanted.items() if value})


def recent_sessions(project: Project | None = None, limit: int = _USUAL_SESSIONS) -> list[Session]:
    """Return registered sessions with `observation_count`, by their newest observation or else their start.

    One query, which counts for the chosen ones only; a limit that is not positive means 5.
    """
    own = Observation.objects.live().filter(session=OuterRef("pk")).order_by().values("session")
    newest = Subquery(own.annotate(newest=Max("created_at")).values("newest"))
    count = Subquery(own.annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    order = (Coalesce(newest, "started_at").desc(), "-key")
    rows = Session.objects.registered()
    rows = rows.filter(project=project) if project else rows
    chosen = rows.order_by(*order).values("pk")[: limit if limit > 0 else _USUAL_SESSIONS]
    found = Session.objects.select_related("project").defer("project__problems").filter(pk__in=chosen)
    return list(found.annotate(observation_count=Coalesce(count, 0)).order_by(*order))


def counts(project: Project | None = None, *, now: datetime) -> Counts:
    """Count memories and prompts. Two queries."""
    rows = Observation.objects.filter(project=project) if project else Observation.objects.all()
    live = Q(deleted_at=None)
    counted = rows.aggregate(
        live=Count("pk", filter=live),
        pinned=Count("pk", filter=live & Q(is_pinned=True)),
        due=Count("pk", filter=live & Q(review_after__lte=now)),
        deleted=Count("pk", filter=~live),
    )
    return Counts(**counted, prompts=prompts(project=project).count())
