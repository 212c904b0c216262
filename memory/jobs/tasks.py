"""The tasks: each may be run again after a crash, and does no harm when it is."""

from __future__ import annotations

from datetime import timedelta

from django.core.management import call_command
from django.tasks import task
from django.utils import timezone

from memory import changes
from memory.agent_loop import queue as loop_updates
from memory.artifacts import garbage
from memory.people import actions as people
from memory.service import receipts

FEED_AGE = timedelta(days=90)
FEED_LENGTH = 10_000
LINK_AGE = timedelta(days=1)
RESULT_DAYS = 14


@task
def trim_changes() -> int:
    """Forget changes older than 90 days, except the newest 10,000; return how many."""
    return changes.trim(before=timezone.now() - FEED_AGE, keep=FEED_LENGTH)


@task
def clear_sessions() -> None:
    """Forget browser sessions that have expired."""
    call_command("clearsessions")


@task
def forget_links() -> int:
    """Forget sign-in links that ended a day ago; return how many."""
    return people.forget(before=timezone.now() - LINK_AGE)


@task
def forget_receipts() -> int:
    """Forget what plugins answered to updates a day ago; return how many."""
    return receipts.trim(at=timezone.now())


@task
def forget_loop_updates() -> int:
    """Forget updates of agents' loops that were delivered a week ago; return how many."""
    return loop_updates.trim(at=timezone.now())


@task
def collect_artifacts() -> int:
    """Remove bytes of artifacts that nothing has needed for a day; return how many."""
    return garbage.collect(at=timezone.now()).size


@task
def prune_results() -> None:
    """Forget what became of tasks that ended two weeks ago."""
    call_command("prune_db_task_results", queue_name="*", min_age_days=RESULT_DAYS, verbosity=0)
