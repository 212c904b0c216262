"""Capture: how soon a finished turn can be read and found, how many events are taken in, how long a recall takes.

With `--crashes` instead: 600 turns while web server and worker are killed again and again, and what became of them.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone
from websockets.sync.client import ClientConnection, connect

from memory import changes
from memory.audit import COMMAND
from memory.projects import actions, sync
from memory.search import index, meaning
from tests.bench import options
from tests.bench.asking import PATIENCE, Client, Times, together
from tests.bench.result import Result, percentile
from tests.bench.search.job import Job
from tests.makers import make_generated_tree, make_project, make_tree
from tests.memory.capture.events import dsh_document, dsh_turn
from tests.run.capturing import prepare
from tests.run.crashing import Storm, history, is_whole, journal, written
from tests.servers import Server, running

BENCH = "capture"
TURNS = 40
SECONDS = 5.0
ENTRIES = 20_000
STORM = Storm(turns=150, kills=7, seed=7)

_DELIVERY, _RECALL = "POST /api/v1/events", "POST /api/v1/recall"


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, running() as server:
        token, place = prepare("bench"), Path(directory)
        if options.chosen().with_crashes:
            yield from _crashes(server, token, make_tree(place / "lighthouse"))
            return
        yield from _sooner(server, token, make_tree(place / "harbor"))
        yield from _recalls(server, token, place)
        for clients in (1, 4):
            rate = _rate(server, token, make_tree(place / f"quay-{clients}"), clients)
            yield Result(BENCH, f"events accepted, {clients} at a time", rate, "a second")


def _sooner(server: Server, token: str, root: Path) -> Iterator[Result]:
    """From the end of a turn, as the agent sends it, to its entry on a websocket and in a search."""
    make_project(root)
    client = Client(server.url, Times(), token=token)
    told, found = list[float](), list[float]()
    address = f"{server.url.replace('http', 'ws', 1)}/ws/changes?since={changes.latest()}&project={root.name}"
    with connect(address, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        for number in range(1, TURNS + 1):
            events = dsh_turn(number, first=number * 10, asked=f"Why does buoy sel{number}kov lose its light?")
            client.ask(_DELIVERY, body=dsh_document(root, events[:3]))
            start = time.perf_counter()
            client.ask(_DELIVERY, body=dsh_document(root, events[3:]))
            _hear(socket, "entry.added")
            told.append((time.perf_counter() - start) * 1000)
            while not client.ask("GET /api/v1/search", f"/api/v1/search?q=sel{number}kov&kind=entry").get("items"):
                pass
            found.append((time.perf_counter() - start) * 1000)
    for what, times in (("change on a websocket", told), ("found by search", found)):
        for share in (50, 95):
            yield Result(BENCH, f"turn end → {what}, p{share} of {TURNS}", percentile(times, share), "ms")


def _hear(socket: ClientConnection, kind: str) -> None:
    while True:
        message = json.loads(socket.recv(timeout=PATIENCE))
        if message["type"] == "ping":
            socket.send('{"type":"pong"}')
        elif message["type"] == "change" and message["change"]["kind"] == kind:
            return


def _recalls(server: Server, token: str, place: Path) -> Iterator[Result]:
    """Each question is asked by a session of its own, which was told nothing before."""
    tree = place / "folio"
    make_generated_tree(tree, "--size", str(ENTRIES))
    project, _ = actions.add(path=str(tree), actor=COMMAND, at=timezone.now())
    sync.sync(project, at=timezone.now())
    index.follow()
    while meaning.fill():
        pass
    times, warm = Times(), Times()
    for kept in (warm, times):
        client = Client(server.url, kept, token=token)
        for number, question in enumerate(Job(tree, place, "").questions()):
            client.ask(_RECALL, body={"session": f"r{number}", "cwd": str(tree), "query": question, "again": True})
        client.close()
    yield from times.results(BENCH, f"{ENTRIES:,} entries", {95: 100})


def _rate(server: Server, token: str, root: Path, clients: int) -> float:
    """Return how many events a second are answered for, a turn a delivery, while the worker writes the turns."""
    counts: Counter[int] = Counter()
    until = time.perf_counter() + SECONDS

    def deliver(client_number: int) -> None:
        client = Client(server.url, Times(), token=token)
        number = 0
        while time.perf_counter() < until:
            number += 1
            events = dsh_turn(number, first=number * 10)
            client.ask(_DELIVERY, body=dsh_document(root, events, session=f"{root.name}-{client_number}"))
            counts[client_number] += len(events)
        client.close()

    together(clients, deliver)
    return counts.total() / SECONDS


def _crashes(server: Server, token: str, root: Path) -> Iterator[Result]:
    start = time.perf_counter()
    STORM.weather(server, token, root)
    told = history(server, token, root.name, written=STORM.total)
    stand = Counter(written(journal(root)))
    when = f"{STORM.total} turns, {STORM.kills} kills of each process"
    yield Result(BENCH, when, time.perf_counter() - start, "s")
    yield Result(BENCH, "entries that are missing", STORM.total - len(stand), "entries", 1)
    yield Result(BENCH, "entries that stand there twice", stand.total() - len(stand), "entries", 1)
    yield Result(BENCH, "day files with a torn entry", float(not is_whole(journal(root))), "files", 1)
    yield Result(BENCH, "captures not written", told["capture.queued"] - told["capture.written"], "captures", 1)
