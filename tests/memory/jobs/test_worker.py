"""What the worker does before and beside its tasks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.tasks import Task
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from memory.jobs import schedule, tasks, worker
from memory.models import SignInLink

pytestmark = pytest.mark.django_db


def claimed(*workers: str) -> DBTaskResult[Any, Any]:
    """A task that a worker took and did not finish."""
    tasks.forget_links.enqueue()
    row = DBTaskResult.objects.latest("enqueued_at")
    for name in workers:
        row.claim(name)
    return row


def test_takes_up_again_what_a_killed_worker_was_doing() -> None:
    row = claimed(settings.INSTANCE_ID)
    assert worker.recover() == 1
    assert DBTaskResult.objects.ready().get() == row


def test_leaves_alone_what_a_worker_of_another_machine_does() -> None:
    claimed(settings.INSTANCE_ID, "f" * 32)
    assert worker.recover() == 0
    assert DBTaskResult.objects.running().exists()


def test_gives_up_a_task_that_took_the_worker_down_each_time() -> None:
    claimed(*[settings.INSTANCE_ID] * worker.ATTEMPTS)
    worker.recover()
    assert "TaskLost" in DBTaskResult.objects.failed().get().exception_class_path


def test_the_hourly_tasks_are_queued_once_an_hour() -> None:
    now = timezone.now()
    assert schedule.enqueue_due(at=now)
    assert not schedule.enqueue_due(at=now + timedelta(minutes=59))
    assert schedule.enqueue_due(at=now + timedelta(minutes=61))
    assert DBTaskResult.objects.count() == 2 * len(schedule.HOURLY)


@pytest.mark.parametrize("task", schedule.HOURLY, ids=lambda task: task.name)
def test_each_hourly_task_may_run_twice(task: Task[Any, Any]) -> None:
    ended = timezone.now() - timedelta(days=3)
    SignInLink.objects.create(digest="0" * 64, username="mira", expires_at=ended)
    task.call()
    task.call()
