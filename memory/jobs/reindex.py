"""Making the search index anew in the background: asked for by a person, done by the worker."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction
from django.tasks import task
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from memory import audit
from memory.audit import Actor
from memory.search import index

type State = Literal["waiting", "running", "done", "failed"]

_STATES: dict[str, State] = {"READY": "waiting", "RUNNING": "running", "SUCCESSFUL": "done"}


@dataclass(frozen=True, slots=True)
class Rebuild:
    """The last time that the index was made anew; `since` is when it came into this state."""

    state: State
    since: datetime
    documents: int

    @property
    def is_open(self) -> bool:
        return self.state in {"waiting", "running"}


@task
def rebuild_index() -> int:
    """Make the search index anew from the rows, and take up what changed meanwhile; return how many documents it has."""
    made = index.rebuild(at=timezone.now())
    index.follow()
    return made


@transaction.atomic
def ask(*, actor: Actor, at: datetime) -> bool:
    """Put the rebuild into the worker's queue, unless one is there or runs; tell whether this was now."""
    found = last()
    if found and found.is_open:
        return False
    rebuild_index.enqueue()
    audit.record(actor, "search.rebuilt", "search index", at=at)
    return True


def last() -> Rebuild | None:
    """Return the latest rebuild that was asked for, None when nobody did lately. One query."""
    row = DBTaskResult.objects.filter(task_path=rebuild_index.module_path).order_by("-enqueued_at").first()
    if row is None:
        return None
    since = row.finished_at or row.started_at or row.enqueued_at
    done = row.return_value if isinstance(row.return_value, int) else 0
    return Rebuild(_STATES.get(row.status, "failed"), since, done)
