"""JSON shapes that several doors share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypedDict

from django.urls import NoReverseMatch

from memory import refs
from memory.models import Change
from memory.plugins import kinds


class ChangeMetadata(TypedDict):
    """What a subscriber of a memory plugin is told of a change beside its id."""

    kind: str
    project: str | None
    title: str


class ChangeJson(TypedDict):
    """One change, as contract section 5 has it, and as subscribers of memory plugins know it.

    `pluginId` is None for a change that is of no plugin's memory; `cursor` is the id as a text.
    """

    id: int
    kind: str
    project: str | None
    ref: str
    at: str
    title: str
    url: str
    pluginId: str | None
    cursor: str
    memoryId: str
    metadata: ChangeMetadata


def iso(moment: datetime) -> str:
    """Return a moment in UTC as ISO 8601 with milliseconds and `Z`; all are equally long, so they sort as text."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def as_json(change: Change) -> ChangeJson:
    """Describe one change; costs no query when its project was selected with it."""
    project = change.project.name if change.project else None
    memory = kinds.memory(change.kind, change.ref)
    return ChangeJson(
        id=change.pk,
        kind=change.kind,
        project=project,
        ref=change.ref,
        at=iso(change.at),
        title=change.title,
        url=_url(change.ref),
        pluginId=memory.plugin_id,
        cursor=str(change.pk),
        memoryId=memory.id,
        metadata=ChangeMetadata(kind=change.kind, project=project, title=change.title),
    )


def _url(ref: str) -> str:
    try:
        return refs.url(ref)
    except NoReverseMatch:  # one odd ref of an agent must not stop the feed for everybody
        return ""
