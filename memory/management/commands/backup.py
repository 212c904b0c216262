"""`memdock backup`: writes everything that MemDock keeps into one file."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandParser
from django.utils import timezone

from memory.backup import making
from memory.backup.errors import CannotBackUp
from memory.management.base import MemdockCommand, add_json


class Command(MemdockCommand):
    help = "write everything that MemDock keeps into one file, also while it runs"
    expected = (CannotBackUp,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the file to write; it must not exist yet")
        add_json(parser)

    def handle(self, *, file: str, as_json: bool, **options: object) -> None:
        made = making.make(Path(file).expanduser().absolute(), at=timezone.now())
        told = {
            "file": str(made.file),
            "bytes": made.size,
            "created_at": made.manifest.created_at,
            "database": made.manifest.engine,
            "files": len(made.manifest.members),
        }
        self.report(told, [f"{made.file}: {made.size:,} bytes, read again and found whole."], as_json=as_json)
