"""JSON shapes that several doors share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypedDict

from django.urls import NoReverseMatch

from memory import refs
from memory.models import Change


class ChangeJson(TypedDict):
    """One change, as contract section 5 has it."""

    id: int
    kind: str
    project: str | None
    ref: str
    at: str
    title: str
    url: str


def iso(moment: datetime) -> str:
    """Return a moment in UTC as ISO 8601 with milliseconds and `Z`; all are equally long, so they sort as text."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def as_json(change: Change) -> ChangeJson:
    """Describe one change; costs no query when its project was selected with it."""
    return ChangeJson(
        id=change.pk,
        kind=change.kind,
        project=change.project.name if change.project else None,
        ref=change.ref,
        at=iso(change.at),
        title=change.title,
        url=_url(change.ref),
    )


def _url(ref: str) -> str:
    try:
        return refs.url(ref)
    except NoReverseMatch:  # one odd ref of an agent must not stop the feed for everybody
        return ""
