"""What the page of reviews prints: memories whose date has come, the longest overdue first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Left

from dock.contexts import links, memories, memory_areas, paged
from dock.contexts.choices import Tab
from dock.contexts.memories import CHANGE, DELETE
from memory.engram import queries
from memory.models import Observation, Project
from memory.models.observation import ObservationQuerySet

ORDER = ("review_after", "pk")

_START = 600


@dataclass(frozen=True, slots=True)
class DueRow:
    """One memory that is due; an act whose address is empty may not be done by this person.

    `place` is the id of its link: an address that ends in it puts the focus there.
    """

    id: str
    place: str
    url: str
    title: str
    start: str
    type: str
    project: str
    is_pinned: bool
    due_at: datetime | None
    changed_at: datetime
    mark_url: str
    edit_url: str
    delete_url: str


@dataclass(frozen=True, slots=True)
class Review:
    """The page; `project` is empty for all projects."""

    project: str
    url: str
    areas: list[Tab]
    rows: list[DueRow]
    previous_url: str
    next_url: str


def page(project: Project | None, cursor: str, person: User, *, now: datetime) -> Review:
    """Build the page. Four queries."""
    rows = _due(project, now).defer("content").annotate(start=Left("content", _START))
    found = paged.page(rows, order=ORDER, cursor=cursor)
    owner = project.name if project else ""
    return Review(
        project=owner,
        url=links.to("review-list", project=owner, cursor=cursor),
        areas=memory_areas.tabs(project, "review-list", now=now),
        rows=[_row(row, owner, person) for row in found.items],
        previous_url=found.previous and links.to("review-list", project=owner, cursor=found.previous),
        next_url=found.next and links.to("review-list", project=owner, cursor=found.next),
    )


def beside(project: Project | None, row: Observation, *, now: datetime) -> str:
    """Return the place of the list's next row, or of the one before, to go on from when this one is done; "" for none.

    At most two queries.
    """
    rows = _due(project, now).exclude(pk=row.pk)
    if row.review_after is None:
        return ""
    later = Q(review_after__gt=row.review_after) | Q(review_after=row.review_after, pk__gt=row.pk)
    found = rows.filter(later).order_by(*ORDER).first() or rows.order_by("-review_after", "-pk").first()
    return _place(found) if found else ""


def _due(project: Project | None, now: datetime) -> ObservationQuerySet:
    return queries.observations(project=project).due(now)


def _place(row: Observation) -> str:
    return f"due-{row.pk}"


def _row(row: Observation, owner: str, person: User) -> DueRow:
    can_change, can_delete = person.has_perm(CHANGE), person.has_perm(DELETE)
    return DueRow(
        id=f"memory-{row.pk}",
        place=_place(row),
        url=links.to("memory-detail", row.pk),
        title=row.title or f"Memory {row.pk}",
        start=memories.start(row.start),  # type: ignore[attr-defined]
        type=row.type,
        project="" if owner else row.project.name,
        is_pinned=row.is_pinned,
        due_at=row.review_after,
        changed_at=row.updated_at,
        mark_url=links.to("review-mark", row.pk, project=owner) if can_change else "",
        edit_url=links.to("memory-edit", row.pk) if can_change else "",
        delete_url=links.to("review-delete", row.pk, project=owner) if can_delete else "",
    )
