"""What is asked about sessions."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, Count, IntegerField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Left

from memory.models import Entry, Observation, Project, Prompt, Session

ORDER = ("-last_activity_at", "-pk")
"""Newest first, for `memory.paging`."""

_OPENING = 600


def sessions(project: Project | None = None) -> QuerySet[Session]:
    """Return sessions with their project, `opening`, and how much they hold.

    That is `entry_count`, `observation_count` (without deleted ones) and `prompt_count`.
    """
    rows = Session.objects.select_related("project").defer("project__problems")
    rows = rows.filter(project=project) if project else rows
    return with_opening(rows).annotate(
        entry_count=_number(Entry.objects.all()),
        observation_count=_number(Observation.objects.live()),
        prompt_count=_number(Prompt.objects.all()),
    )


def with_opening(rows: QuerySet[Session]) -> QuerySet[Session]:
    """Add `opening`: how the first prompt begins in a session without a title, else ""."""
    prompts = Prompt.objects.filter(session=OuterRef("pk")).order_by("created_at", "pk")
    first = Subquery(prompts.annotate(start=Left("content", _OPENING)).values("start")[:1])
    return rows.annotate(opening=Case(When(title="", then=Coalesce(first, Value(""))), default=Value("")))


def find(key: str) -> Session | None:
    """Return the session of this key. One query."""
    return None if "\0" in key else sessions().filter(key=key).first()


def _number(rows: QuerySet[Any]) -> Coalesce:
    """Count the rows of each session; a list that is cut to a page counts for its page only."""
    counted = rows.filter(session=OuterRef("pk")).order_by().values("session").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), 0)
