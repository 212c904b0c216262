"""What is known of earlier runs."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from memory.models import Project, UpkeepRun
from memory.models.maintenance import UpkeepState

_ENOUGH = 10


class Failures(TypedDict):
    """How often a task failed in a row, and when it last did."""

    failures: int
    failed_at: datetime | None


def failures(project: Project, task: str, platform: str) -> Failures:
    """Count the failures since the last run that went well. One query."""
    rows = UpkeepRun.objects.filter(project=project, task=task, platform=platform, is_dry_run=False)
    rows = rows.filter(state__in=[UpkeepState.DONE, UpkeepState.FAILED]).exclude(action__in=["skip", "locked"])
    count, failed_at = 0, None
    for state, finished_at in rows.order_by("-pk").values_list("state", "finished_at")[:_ENOUGH]:
        if state == UpkeepState.DONE:
            break
        count, failed_at = count + 1, failed_at or finished_at
    return Failures(failures=count, failed_at=failed_at)
