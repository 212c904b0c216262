"""The import of 20,000 observations with their sessions and prompts, from each form, and the export of all of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone

from memory.engram.exchange import exporting
from memory.models import Change, ImportedChunk, Observation, Project
from tests.bench.result import Result
from tests.memory.engram.exchange.sources import bring, make_engram

OBSERVATIONS = 20_000
SOURCES = {".engram": "chunks", "engram-export-0.2.0.json": "an export", "engram.db": "a database of three quarters"}


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        make_engram(place, "--size", str(OBSERVATIONS))
        for name, what in SOURCES.items():
            _empty()
            yield Result("imports", f"{OBSERVATIONS:,} observations from {what}", _timed(place / name), "s", 6)
        _empty()
        bring(place / ".engram")
        yield Result("imports", "the same chunks again", _timed(place / ".engram"), "s")
        start = time.perf_counter()
        assert sum(map(len, exporting.pieces(None, at=timezone.now())))
        yield Result("imports", "export of everything", time.perf_counter() - start, "s")


def _timed(path: Path) -> float:
    start = time.perf_counter()
    bring(path)
    return time.perf_counter() - start


def _empty() -> None:
    for model in (Observation, Project, ImportedChunk, Change):
        model.objects.all().delete()
