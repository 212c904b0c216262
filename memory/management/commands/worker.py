"""`memdock worker`: runs background tasks, and is started by `memdock up`."""

from __future__ import annotations

from django.core.management.base import CommandError

from memory import locks
from memory.jobs import worker
from memory.management.base import MemdockCommand


class Command(MemdockCommand):
    help = "run background tasks (part of `up`)"

    def handle(self, **options: object) -> None:
        try:
            worker.run()
        except locks.Taken as exc:
            raise CommandError("A worker is running already with this data directory.") from exc
