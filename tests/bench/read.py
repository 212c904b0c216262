"""The first read of a tree with 10,000 entries, and a look at it when nothing has changed."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone

from memory.audit import COMMAND
from memory.models import Journal
from memory.projects import actions, sync
from tests.bench.result import Result
from tests.makers import make_generated_tree

ENTRIES = 10_000


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "tree"
        make_generated_tree(tree, "--size", str(ENTRIES))
        project, _ = actions.add(path=str(tree), actor=COMMAND, at=timezone.now())
        yield Result("read", f"first read of {ENTRIES:,} entries", _timed(project), "s", 4)
        Journal.objects.update(modified_ns=1)  # every file looks touched: read and hashed, found the same
        yield Result("read", "re-scan of touched, unchanged files", _timed(project) * 1000, "ms")
        Journal.objects.update(read_ns=time.time_ns() + 10**10)  # long at rest: size and time are trusted
        yield Result("read", "unchanged re-scan", _timed(project) * 1000, "ms", 150)


def _timed(project: object) -> float:
    start = time.perf_counter()
    sync.sync(project, at=timezone.now())  # type: ignore[arg-type]
    return time.perf_counter() - start
