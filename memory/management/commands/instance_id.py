"""`memdock instance-id`: the id that /health reports."""

from __future__ import annotations

from django.conf import settings

from memory.management.base import MemdockCommand


class Command(MemdockCommand):
    help = "print the id of this MemDock, as /health reports it"
    needs_database = False

    def handle(self, **options: object) -> None:
        self.stdout.write(settings.INSTANCE_ID)
