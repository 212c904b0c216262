"""`memdock restore`: puts a backup in the place of everything."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandParser
from django.utils import timezone

from memory.backup import restoring
from memory.backup.errors import CannotBackUp, CannotRestore
from memory.management.base import MemdockCommand, add_json


class Command(MemdockCommand):
    help = "put a backup in the place of everything; what was there is backed up first"
    expected = (CannotBackUp, CannotRestore)
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a file that `memdock backup` wrote")
        add_json(parser)

    def handle(self, *, file: str, as_json: bool, **options: object) -> None:
        done = restoring.restore(Path(file).expanduser().absolute(), at=timezone.now())
        told = {
            "file": file,
            "created_at": done.manifest.created_at,
            "files": len(done.manifest.members),
            "before": str(done.before),
        }
        lines = [f"Restored the backup of {done.manifest.created_at}.", f"What was there before: {done.before}"]
        self.report(told, lines, as_json=as_json)
