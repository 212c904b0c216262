"""The worker: the library's loop, what a killed one left behind, and the clock beside it."""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from memory import locks
from memory.jobs import capturing, following, heartbeat, indexing, looping, schedule, skills, upkeep

logger = logging.getLogger("memdock.worker")

LOCK = "worker.lock"
ATTEMPTS = 5
"""A task that took the worker down with it so many times is not tried again."""

_POLL = 0.5


class TaskLost(Exception):
    """The worker ended, several times, while it ran this task."""


def run() -> None:
    """Run tasks until SIGTERM. Raises locks.Taken when the data directory has a worker already."""
    with locks.held(settings.DATA_DIR / LOCK, waits=False):
        recover()
        threading.Thread(target=_keep_time, name="schedule", daemon=True).start()
        indexing.start()
        capturing.start()
        skills.start()
        upkeep.start()
        following.start()
        looping.start()
        worker = _worker()
        worker.configure_signals()
        worker.run()


def recover() -> int:
    """Put tasks that this data directory's worker was running when it was killed back into the queue.

    There is one worker a data directory (its lock says so), and it signs what it takes with the instance id.
    """
    running = [row for row in DBTaskResult.objects.running() if row.worker_ids[-1:] == [settings.INSTANCE_ID]]
    for row in running:
        if len(row.worker_ids) < ATTEMPTS:
            DBTaskResult.objects.running().filter(pk=row.pk).update(status="READY")
        else:
            row.set_failed(TaskLost(f"The worker ended {len(row.worker_ids)} times while it ran this."))
    return len(running)


def _worker() -> Worker:
    logging.getLogger("django_tasks_db").setLevel(logging.ERROR)  # it warns of each stop
    logging.getLogger("django.tasks").setLevel(logging.WARNING)
    return Worker(
        queue_names=["*"],
        excluded_queue_names=[],
        interval=_POLL,
        batch=False,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id=settings.INSTANCE_ID,
    )


def _keep_time() -> None:
    """Say that the worker is alive and see what is due, over and over; beside the tasks, which may take long."""
    pause = threading.Event()
    while True:
        close_old_connections()
        try:
            heartbeat.beat(heartbeat.WORKER, at=timezone.now())
            schedule.enqueue_due(at=timezone.now())
        except DatabaseError as exc:
            logger.warning("The schedule waits: %s", exc)
            connection.close()
        pause.wait(heartbeat.EVERY.total_seconds())
