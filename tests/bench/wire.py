"""Engram's wire under load: one client, eight that read and write, and eight while 20,000 memories are imported."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from tests.bench.asking import Client, Times, together
from tests.bench.result import Result
from tests.memory.engram.exchange.sources import make_engram
from tests.servers import Server, running

BENCH = "wire"
CLIENTS = 8
ALONE = 300
ROUNDS = 150
"""Requests of each of the eight."""
IMPORTED = 20_000

_STARTS = ("ba", "ko", "ri", "ta", "mu", "len", "sor", "vik", "dan", "pel", "qua", "zem", "hol", "cir", "fen", "gul")
_ENDS = ("rin", "tos", "mal", "ked", "vun", "lex", "gor", "pam", "wis", "dol", "hat", "bek", "nos", "tir", "jun", "lob")
_WORDS = [start + end for start in _STARTS for end in _ENDS]


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, running() as server:
        source = Path(directory)
        make_engram(source, "--size", str(IMPORTED))
        alone = Times()
        _saves(server, alone)
        yield from alone.results(BENCH, "alone", {50: 4, 95: 12})
        yield from _crowd(server, lambda number: number < ROUNDS).results(BENCH, f"{CLIENTS} clients", {})
        yield from _during(server, source / "engram-export-0.2.0.json").results(BENCH, "with an import", {95: 200})


def _saves(server: Server, times: Times) -> None:
    client = Client(server.url, times)
    writer = Writer(client, random.Random(1), "alone")
    writer.begin()
    for _ in range(20):
        writer.save()
    times.asked.clear()
    for _ in range(ALONE):
        writer.save()
    client.close()


def _crowd(server: Server, goes_on: Callable[[int], bool]) -> Times:
    times = Times()

    def work(number: int) -> None:
        client = Client(server.url, times)
        writer = Writer(client, random.Random(number), f"crowd-{number}")
        writer.begin()
        writer.save()
        done = 0
        while goes_on(done):
            writer.step()
            done += 1
        client.close()

    together(CLIENTS, work)
    return times


def _during(server: Server, source: Path) -> Times:
    """Let the crowd go on until the import is over."""
    command = [sys.executable, "-m", "memsite.cli", "import", str(source)]
    importer = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    times = _crowd(server, lambda _: importer.poll() is None)
    if importer.returncode:
        times.failed.append(f"the import ended with {importer.returncode}")
    return times


class Writer:
    """One agent: what it saves, and what it asks."""

    def __init__(self, client: Client, chance: random.Random, name: str) -> None:
        self._ask = client.ask
        self._chance = chance
        self._session, self._project = f"{name}-{chance.random()}", name
        self._saved: list[int] = []
        self._acts: dict[Callable[[], object], int] = {
            self.save: 4,
            self.search: 4,
            self.context: 2,
            self.timeline: 2,
            self.recent: 2,
            self.edit: 2,
            self.pin: 1,
            self.prompt: 2,
            self.session: 1,
        }

    def begin(self) -> None:
        self._ask("POST /sessions", body={"id": self._session, "project": self._project, "directory": "/w"})

    def step(self) -> None:
        """Do any one thing; some are done more often than others."""
        [act] = self._chance.choices(list(self._acts), list(self._acts.values()))
        act()

    def save(self) -> None:
        body = {"session_id": self._session, "type": "decision", "title": self._words(6), "content": self._words(60)}
        self._saved.append(self._ask("POST /observations", body=body).get("id", 0))

    def search(self) -> None:
        self._ask("GET /search", f"/search?q={quote(self._words(2))}&project={self._project}&match_mode=any")

    def context(self) -> None:
        self._ask("GET /context", f"/context?project={self._project}&compact=1&max_bytes=16384")

    def timeline(self) -> None:
        self._ask("GET /timeline", f"/timeline?observation_id={self._any()}&project={self._project}")

    def recent(self) -> None:
        self._ask("GET /observations", f"/observations?project={self._project}&limit=20")

    def edit(self) -> None:
        self._ask("PATCH /observations/{id}", f"/observations/{self._any()}", {"content": self._words(60)})

    def pin(self) -> None:
        self._ask("PUT /observations/{id}/pin", f"/observations/{self._any()}/pin")

    def prompt(self) -> None:
        self._ask("POST /prompts", body={"session_id": self._session, "content": self._words(20)})

    def session(self) -> None:
        self._ask("GET /sessions/{id}", f"/sessions/{self._session}")

    def _any(self) -> int:
        return self._chance.choice(self._saved)

    def _words(self, count: int) -> str:
        return " ".join(self._chance.choices(_WORDS, k=count))
