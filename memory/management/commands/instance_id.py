"""`memdock instance-id`: the id that /health reports."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import CommandParser

from memory.management.base import MemdockCommand, add_json


class Command(MemdockCommand):
    help = "print the id of this MemDock, as /health reports it"
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_json(parser)

    def handle(self, *, as_json: bool, **options: object) -> None:
        self.report({"instance_id": settings.INSTANCE_ID}, [settings.INSTANCE_ID], as_json=as_json)
