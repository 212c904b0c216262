"""What is asked about captured turns."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from memory.models import Capture, Project, Session
from memory.models.capture import CaptureState

ORDER = ("-occurred_at", "-pk")
"""Newest first, for `memory.paging`."""

RETRIED = frozenset({CaptureState.UNAVAILABLE, CaptureState.SKIPPED})
"""The states that `outbox.retry` starts from."""


def captures(*, project: Project | None = None, session: Session | None = None, state: str = "") -> QuerySet[Capture]:
    """Return captures with their project and session, without the turns' text; what is empty does not restrict."""
    rows = Capture.objects.select_related("project", "session").defer("project__problems", "rendered", "summary")
    wanted = {"project": project, "session": session, "state": state}
    return rows.filter(**{name: value for name, value in wanted.items() if value})


def find(pk: int) -> Capture | None:
    """Return one capture with its project and session. One query."""
    return captures().filter(pk=pk).first()


def counts(project: Project | None = None, *, session: Session | None = None) -> dict[str, int]:
    """Count captures by state; every state is there. One query."""
    rows = captures(project=project, session=session).order_by().values_list("state").annotate(n=Count("pk"))
    return dict.fromkeys(CaptureState.values, 0) | dict(rows)
