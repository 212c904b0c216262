"""`memdock reindex`: makes the search index anew."""

from __future__ import annotations

import time
from dataclasses import asdict

from django.core.management.base import CommandParser
from django.utils import timezone

from memory.management.base import MemdockCommand, add_json
from memory.search import index


class Command(MemdockCommand):
    help = "make the search index anew from what is remembered"

    def add_arguments(self, parser: CommandParser) -> None:
        add_json(parser)

    def handle(self, *, as_json: bool, **options: object) -> None:
        started = time.monotonic()
        made = index.rebuild(at=timezone.now())
        followed = index.follow()
        seconds = round(time.monotonic() - started, 3)
        drift = index.drift()
        lines = [f"{made:,} documents in {seconds:.1f} s; {followed:,} changes came meanwhile."]
        self.report(
            {"documents": made, "changes": followed, "seconds": seconds, "drift": asdict(drift)}, lines, as_json=as_json
        )
