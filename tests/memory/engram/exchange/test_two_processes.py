"""An import that is killed goes on at the next one, and keeps nobody from writing while it runs."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.utils import timezone

from memory.engram import observations
from memory.models import ImportedChunk, Observation, Session
from tests.memory.engram.exchange.sources import bring, counts, expected, make_engram
from tests.memory.engram.makers import make_session
from tests.memory.engram.writers import environment
from tests.places import FIXTURES, ROOT
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not FIXTURES.is_dir(), reason="the generators are not here"),
]


@contextmanager
def importing(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run `memdock import` on the database of this process."""
    command = [sys.executable, "-m", "memsite.cli", "import", str(path), "--json"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_killed_import_leaves_whole_chunks_and_is_finished_by_the_next(tmp_path: Path) -> None:
    truth = make_engram(tmp_path, "--formats", "chunks", "--size", "3000", "--chunks", "30")
    with importing(tmp_path / ".engram") as process:
        wait_until(ImportedChunk.objects.exists)
        process.kill()
        process.wait()

    here = set(Observation.objects.values_list("sync_id", flat=True))
    for chunk in (tmp_path / ".engram" / "chunks").iterdir():
        ids = {row["sync_id"] for row in json.loads(gzip.decompress(chunk.read_bytes()))["observations"]}
        assert ids & here in (set(), ids)

    bring(tmp_path / ".engram")

    assert counts() == expected(truth, "after_manifest_import")


def test_agents_write_while_an_import_runs(tmp_path: Path) -> None:
    make_session("live", project="harbor-api")
    make_engram(tmp_path, "--formats", "export", "--size", "3000")
    with importing(tmp_path / "engram-export-0.2.0.json") as process:
        wait_until(lambda: Observation.objects.exists() or process.poll() is not None)
        for number in range(20):
            title = f"Captured {number}"
            observations.save(session_id="live", title=title, content=title, at=timezone.now())
        assert process.wait() == 0

    assert Session.objects.get(key="live").observations.count() == 20
    assert Observation.objects.count() == 3020


def test_two_imports_of_the_same_at_once_are_one(tmp_path: Path) -> None:
    truth = make_engram(tmp_path, "--formats", "chunks", "--size", "400")
    with importing(tmp_path / ".engram") as one, importing(tmp_path / ".engram") as other:
        assert (one.wait(), other.wait()) == (0, 0)

    assert counts() == expected(truth, "after_manifest_import")
