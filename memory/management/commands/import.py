"""`memdock import`: takes in what Engram, another MemDock or a `.memsearch` holds."""

from __future__ import annotations

import sys

from django.core.management.base import CommandParser
from django.utils import timezone

from memory import audit
from memory.audit import COMMAND
from memory.engram.exchange import importing, sources
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.report import NOUNS
from memory.journal.grammar import clean
from memory.management import indexing
from memory.management.base import MemdockCommand, add_json

_WIDTH = 30


class Command(MemdockCommand):
    help = "take in memory from Engram, from another MemDock or from a .memsearch"
    expected = (CannotImport,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "source", help="a .engram directory, a chunk, an export, engram.db, or a directory that holds .memsearch"
        )
        parser.add_argument("--project", default="", help="the project that gets everything, whatever rows name")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
        add_json(parser)

    def handle(self, *, source: str, project: str, dry_run: bool, as_json: bool, **options: object) -> None:
        with sources.opened(source) as opened:
            found = importing.run(opened, project=project, dry_run=dry_run, at=timezone.now(), progress=self._progress)
        self.report(found.as_json(), map(clean, found.lines()), as_json=as_json)
        if not dry_run:
            new = {noun: found.count(noun, "new") for noun in NOUNS}
            audit.record(COMMAND, "import.done", source, at=timezone.now(), kind=found.kind, new=new)
            indexing.follow(self.say)

    def _progress(self, done: int, total: int) -> None:
        """Draw a bar for whoever watches a terminal."""
        if not sys.stderr.isatty():
            return
        filled = _WIDTH * done // max(total, 1)
        bar = f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {done:,} of {total:,}"
        self.stderr.write(bar, style_func=str, ending="\n" if done >= total else "")
