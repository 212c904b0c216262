"""Which memories a list shows, and which of them somebody means."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.urls import reverse

from dock.forms.memories import Criteria, Selection
from memory.engram import queries
from memory.models import Observation, Project
from memory.models.observation import ObservationQuerySet

MOST = 5000
"""Memories that one act changes: other writers wait meanwhile, for about two seconds."""


class TooMany(Exception):
    """More are meant than one act changes."""


def found(project: Project | None, text: str) -> ObservationQuerySet:
    """Return the memories of a project, deleted ones among them, in which a text is found."""
    rows = queries.with_deleted()
    rows = rows.filter(project=project) if project else rows
    if not text:
        return rows
    return rows.filter(Q(title__icontains=text) | Q(content__icontains=text) | Q(topic_key__icontains=text))


def matching(project: Project | None, criteria: Criteria, *, now: datetime) -> ObservationQuerySet:
    """Return what a list shows on all of its pages."""
    rows = found(project, criteria.text)
    wanted = {"type": criteria.type, "scope": criteria.scope}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value})
    if criteria.is_trash:
        return rows.deleted()
    if criteria.state == "due":
        return rows.due(now)
    return rows.live().filter(is_pinned=True) if criteria.state == "pinned" else rows.live()


def pks(project: Project | None, criteria: Criteria, selection: Selection, *, now: datetime) -> list[int]:
    """Return the ids that are meant, those of ids that are not there left out. One query. Raises TooMany.

    Of all that a list matched, those are left out that were saved after somebody saw it.
    """
    if selection.is_all:
        rows = matching(project, criteria, now=now).filter(pk__lte=selection.seen)
    else:
        rows = queries.with_deleted().filter(pk__in=selection.pks[: MOST + 1])
    known = list(rows.order_by("pk").values_list("pk", flat=True)[: MOST + 1])
    if len(known) > MOST:
        raise TooMany
    return known


def deleted_at(at: datetime) -> list[int]:
    """Return what one act deleted: all that was deleted at this moment, to the microsecond. One query."""
    return list(Observation.objects.deleted().filter(deleted_at=at).values_list("pk", flat=True)[:MOST])


def url(
    page: str,
    project: Project | None,
    criteria: Criteria | None = None,
    selection: Selection | None = None,
    **more: Any,
) -> str:
    """Return the address of a page about a list, or about some of its memories."""
    query: Mapping[str, Any] = {
        "project": project.name if project else "",
        **(criteria.query() if criteria else {}),
        **(selection.query() if selection else {}),
        **more,
    }
    kept = {name: value for name, value in query.items() if value not in {"", None}}
    return reverse(f"dock:{page}") + (f"?{urlencode(kept, doseq=True)}" if kept else "")
