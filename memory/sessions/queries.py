"""What is asked about sessions."""

from __future__ import annotations

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memory.models import Entry, Project, Session

ORDER = ("-last_activity_at", "-pk")
"""Newest first, for `memory.paging`."""


def sessions(project: Project | None = None) -> QuerySet[Session]:
    """Return sessions with their project and `entry_count`."""
    counted = Entry.objects.filter(session=OuterRef("pk")).order_by().values("session").annotate(n=Count("pk"))
    number = Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), 0)
    rows = Session.objects.select_related("project").defer("project__problems").annotate(entry_count=number)
    return rows.filter(project=project) if project else rows


def find(key: str) -> Session | None:
    """Return the session of this key. One query."""
    return None if "\0" in key else sessions().filter(key=key).first()
