"""Vectors while a worker is killed and the model is another one than before."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory.search.meaning import BATCH
from tests.databases import own_database
from tests.makers import make_entry_text, make_tree
from tests.memory.search_embed.endpoint_server import Endpoint, serving
from tests.run import processes
from tests.run.test_up import memdock
from tests.waiting import DEADLINE, wait_until

ENTRIES = 2 * BATCH + 50
TOTAL = ENTRIES + 1  # and their session

WORKER = ("-m", "memsite.cli", "worker")
PROGRESS = """
import json
from memory.search import meaning
print(json.dumps([meaning.progress().done, meaning.progress().total]))
"""


@dataclass
class Gate:
    """Lets an endpoint answer batches one by one, and questions (a single text) at once."""

    passes: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    is_open: bool = False
    asked: int = 0
    lines: list[str] = field(default_factory=list)

    def wait(self, request: dict[str, Any]) -> None:
        if len(request["input"]) == 1:
            return
        self.asked += 1
        self.lines += request["input"]
        if not self.is_open:
            self.passes.acquire(timeout=DEADLINE)

    def open(self) -> None:
        self.is_open = True
        self.passes.release(100)

    def let_one_pass(self) -> None:
        """Let one batch be answered, and wait until the next one is asked for."""
        before = self.asked
        self.passes.release()
        wait_until(lambda: self.asked > before)


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    with own_database() as database:
        yield {**database, "MEMDOCK_DATA_DIR": str(tmp_path / "data"), "MEMDOCK_EMBEDDING": "none"}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


def add(environment: dict[str, str], root: Path) -> None:
    text = "".join(
        make_entry_text(f"{n // 60:02}:{n % 60:02}", turn=str(n), body=f"- Moored the lighter number{n}")
        for n in range(ENTRIES)
    )
    assert memdock(environment, "add", str(make_tree(root, {"2026-02-03": text})))["entries"] == ENTRIES


def done(environment: dict[str, str]) -> int:
    """Return how many documents have vectors of the environment's model."""
    found: list[int] = json.loads(processes.run(environment, PROGRESS))
    assert found[1] == TOTAL
    return found[0]


def is_whole(environment: dict[str, str]) -> bool:
    return done(environment) == TOTAL


def meanings(environment: dict[str, str], query: str) -> dict[str, float]:
    """Search with a command; return how near each entry is in meaning, by its title."""
    hits = memdock(environment, "search", query, "--kind", "entry", "-k", "40")
    return {hit["title"]: hit["why"]["semantic"] for hit in hits}


def test_goes_on_where_a_killed_worker_was(environment: dict[str, str], endpoint: Endpoint, tmp_path: Path) -> None:
    add(environment, tmp_path / "harbor")
    former = environment | {"MEMDOCK_EMBEDDING": "openai:former", "MEMDOCK_EMBEDDING_URL": endpoint.url}
    with processes.running(former, *WORKER):
        wait_until(lambda: is_whole(former))
    every_line = [line for request in endpoint.requests for line in request["input"]]

    newer = former | {"MEMDOCK_EMBEDDING": "openai:newer"}
    gate = Gate()
    endpoint.wait = gate.wait
    with processes.running(newer, *WORKER):
        wait_until(lambda: gate.asked)
        while not done(newer):
            gate.let_one_pass()
        # One batch is kept and the next one is being made: words find everything, only new vectors say anything.
        assert (done(newer), done(former)) == (BATCH, TOTAL - BATCH)
        near = meanings(newer, f"number{ENTRIES - 1} number0")
        assert near[f"Moored the lighter number{ENTRIES - 1}"] > 0
        assert near["Moored the lighter number0"] == 0
    kept, before = gate.lines[:BATCH], len(gate.lines)

    gate.open()
    with processes.running(newer, *WORKER):
        wait_until(lambda: is_whole(newer))
    assert done(former) == 0
    assert sorted(kept + gate.lines[before:]) == sorted(every_line)
