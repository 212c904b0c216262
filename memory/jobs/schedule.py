"""When tasks are due without anybody asking for them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from memory.jobs import tasks
from memory.models import Marker

HOURLY = (
    tasks.trim_changes,
    tasks.clear_sessions,
    tasks.forget_links,
    tasks.forget_receipts,
    tasks.forget_loop_updates,
    tasks.collect_artifacts,
    tasks.prune_results,
)

_MARKER = "schedule.hourly"
_HOUR = timedelta(hours=1)


@transaction.atomic
def enqueue_due(*, at: datetime) -> bool:
    """Put the hourly tasks into the queue unless somebody did within the hour; tell whether that was now.

    The marker and the tasks are one transaction: a crash between them cannot lose a round.
    """
    Marker.objects.get_or_create(name=_MARKER)
    limit = (at - _HOUR).timestamp()
    claimed = Marker.objects.filter(name=_MARKER, value__lte=limit).update(value=int(at.timestamp()), updated_at=at)
    if claimed:
        for task in HOURLY:
            task.enqueue()
    return bool(claimed)
