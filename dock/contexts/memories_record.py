"""What the page of one memory prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.safestring import SafeString

from dock.contexts import links, memories_relations, memories_versions
from dock.contexts.choices import Tab
from dock.contexts.memories import CHANGE, DELETE, rendered, start
from dock.contexts.memories_relations import RelationItem
from dock.contexts.memories_versions import Versions
from dock.contexts.source import Source, hidden, source
from memory import refs
from memory.api.engram import shapes
from memory.engram import timeline
from memory.models import Observation

_LISTED = 50
"""Memories that were merged into one, as far as its page names them."""

_VIEWS = {"text": "Text", "versions": "Versions", "json": "JSON"}


@dataclass(frozen=True, slots=True)
class Linked:
    """Another memory."""

    pk: int
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory in the course of its session."""

    pk: int
    url: str
    title: str
    start: str
    type: str
    at: datetime
    is_this: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The text in one of its views."""

    view: str
    tabs: list[Tab]
    html: SafeString | str
    hidden: int
    source: Source | None
    versions: Versions | None
    json_url: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory comes from; `changed_by` is empty where an agent wrote the last version."""

    session: str
    session_url: str
    platform: str
    tool: str
    operation: str
    changed_at: datetime | None
    changed_by: str


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """The page of one memory."""

    row: Observation
    title: str
    ref: str
    project: str
    project_url: str
    topic_url: str
    is_due: bool
    size: int
    repeated: int
    reading: Reading
    provenance: Provenance
    relations: list[RelationItem]
    moments: list[Moment]
    in_session: int
    merged: list[Linked]
    merged_into: Linked | None
    crumbs: list[tuple[str, str]]
    url: str
    purge_url: str
    newer_url: str
    older_url: str
    can_change: bool
    can_delete: bool


def memory(row: Observation, person: User, *, view: str, old: str, new: str, now: datetime) -> MemoryPage:
    """Build the page of a memory, deleted or not. At most eleven queries, in its versions two more."""
    project = row.project.name
    around = None if row.deleted_at else timeline.around(row.pk)
    is_live = not row.deleted_at
    newer, older = _neighbours(row) if is_live else ("", "")
    return MemoryPage(
        row=row,
        title=row.title or f"Memory {row.pk}",
        ref=refs.observation(row),
        project=project,
        project_url=links.to("memory-list", project=project),
        topic_url=links.to("memory-list", project=project, q=row.topic_key),
        is_due=is_live and row.needs_review(now),
        size=len(row.content.encode()),
        repeated=max(0, row.duplicate_count - 1),
        reading=_reading(row, view, old, new, can_restore=is_live and person.has_perm(CHANGE)),
        provenance=_provenance(row),
        relations=memories_relations.listing(row),
        moments=_moments(around, row) if around else [],
        in_session=around.total_in_range if around else 0,
        merged=[_linked(one) for one in row.merged.deleted().order_by("-deleted_at", "-pk")[:_LISTED]],
        merged_into=_linked(row.merged_into) if row.merged_into else None,
        crumbs=_crumbs(row),
        url=links.to("memory-detail", row.pk, view=view, old=old, new=new),
        purge_url=links.to("memory-purge", pk=row.pk, project=project),
        newer_url=newer,
        older_url=older,
        can_change=person.has_perm(CHANGE),
        can_delete=person.has_perm(DELETE),
    )


def _reading(row: Observation, view: str, old: str, new: str, *, can_restore: bool) -> Reading:
    view = view if view in _VIEWS else "text"
    count = row.versions.count()
    return Reading(
        view=view,
        tabs=[
            Tab(
                label,
                links.to("memory-detail", row.pk, view="" if name == "text" else name),
                name == view,
                count + 1 if name == "versions" and count else None,
            )
            for name, label in _VIEWS.items()
        ],
        html=rendered(row.content) if view == "text" else "",
        hidden=hidden(row.content) if view == "text" else 0,
        source=source(_json(row), "json") if view == "json" else None,
        versions=memories_versions.history(row, old, new, can_restore=can_restore) if view == "versions" else None,
        json_url=links.to("memory-detail", row.pk, view="json"),
    )


def _json(row: Observation) -> str:
    """Write the memory down as agents get it."""
    return json.dumps(shapes.observation(row), ensure_ascii=False, indent=2)


def _provenance(row: Observation) -> Provenance:
    session = row.session
    last = row.versions.order_by("-number").only("replaced_at", "replaced_by").first()
    return Provenance(
        session=session.key,
        session_url=links.to("session-detail", session.key),
        platform=session.platform,
        tool=row.tool_name,
        operation=row.operation_id,
        changed_at=last.replaced_at if last else None,
        changed_by=last.replaced_by if last else "",
    )


def _moments(around: timeline.Timeline, row: Observation) -> list[Moment]:
    return [
        Moment(
            pk=one.pk,
            url=links.to("memory-detail", one.pk),
            title=one.title or f"Memory {one.pk}",
            start=start(one.content[:400]),
            type=one.type,
            at=one.created_at,
            is_this=one.pk == row.pk,
        )
        for one in [*around.before, around.focus, *around.after]
    ]


def _crumbs(row: Observation) -> list[tuple[str, str]]:
    project = row.project.name
    crumbs = [("Memories", links.to("memory-list", project=project))]
    if row.deleted_at:
        crumbs.append(("Trash", links.to("memory-list", project=project, state="deleted")))
    return crumbs


def _linked(row: Observation) -> Linked:
    return Linked(row.pk, links.to("memory-detail", row.pk), row.title or f"Memory {row.pk}")


def _neighbours(row: Observation) -> tuple[str, str]:
    """Return the addresses of the memories above and below in the project's list; "" at the ends. Two queries."""
    rows = Observation.objects.live().filter(project=row.project_id)
    at, pk = row.created_at, row.pk
    newer = rows.filter(created_at__gte=at).filter(Q(created_at__gt=at) | Q(pk__gt=pk)).order_by("created_at", "pk")
    older = rows.filter(created_at__lte=at).filter(Q(created_at__lt=at) | Q(pk__lt=pk)).order_by("-created_at", "-pk")
    found = (rows.values_list("pk", flat=True).first() for rows in (newer, older))
    above, below = (links.to("memory-detail", one) if one else "" for one in found)
    return above, below
