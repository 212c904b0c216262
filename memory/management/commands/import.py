"""`memdock import`: takes in what Engram, another MemDock or a `.memsearch` holds, and agents' old conversations."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from datetime import date
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memory import audit
from memory.audit import COMMAND
from memory.capture.backfill.filters import Filters
from memory.capture.backfill.report import BackfillReport
from memory.capture.backfill.sources import AGENTS
from memory.capture.backfill.stores.registry import PLATFORMS
from memory.engram.exchange import importing, sources
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.report import NOUNS
from memory.journal.grammar import clean
from memory.management import indexing
from memory.management.base import MemdockCommand, add_json

_WIDTH = 30


class Command(MemdockCommand):
    help = "take in memory from Engram, another MemDock or a .memsearch, and turns from agents' own conversations"
    expected = (CannotImport,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "source",
            help="a .engram directory, a chunk, an export, engram.db, a directory that holds .memsearch;"
            " the session store of an agent, or a part of it (~/.claude, ~/.codex, ~/.openclaw, opencode.db, ~/.dsh);"
            f" or the word '{AGENTS}' for all stores of this machine",
        )
        parser.add_argument(
            "--project",
            default="",
            help="the project that gets everything, whatever rows name; of conversations, those held in it,"
            " and those whose directory belongs to no project",
        )
        parser.add_argument("--since", type=_day, metavar="DATE", help="conversations: turns of this day and later")
        parser.add_argument("--until", type=_day, metavar="DATE", help="conversations: turns of this day and before")
        parser.add_argument("--platform", default="", choices=PLATFORMS, help="conversations: those of one agent")
        parser.add_argument("--session", default="", metavar="ID", help="conversations: one of them")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
        add_json(parser)

    def handle(self, *, source: str, project: str, dry_run: bool, as_json: bool, **options: Any) -> None:
        filters = Filters(**{name: options[name] for name in ("since", "until", "platform", "session")})
        with sources.opened(source) as opened:
            found = importing.run(
                opened, project=project, filters=filters, dry_run=dry_run, at=timezone.now(), progress=self._progress
            )
        self.report(found.as_json(), map(clean, found.lines()), as_json=as_json)
        if not dry_run:
            new = {noun: found.count(noun, "new") for noun in NOUNS}
            if isinstance(found, BackfillReport):
                new["captures"] = found.captures()["new"]
            audit.record(COMMAND, "import.done", source, at=timezone.now(), kind=found.kind, new=new)
            indexing.follow(self.say)

    def _progress(self, done: int, total: int) -> None:
        """Draw a bar for whoever watches a terminal."""
        if not sys.stderr.isatty():
            return
        filled = _WIDTH * done // max(total, 1)
        bar = f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {done:,} of {total:,}"
        self.stderr.write(bar, style_func=str, ending="\n" if done >= total else "")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is not a date as 2026-01-31") from None
