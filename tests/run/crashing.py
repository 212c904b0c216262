"""Turns that are delivered to a MemDock whose processes are killed again and again meanwhile."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.run.capturing import Client, answer, question
from tests.servers import Server, children
from tests.waiting import DEADLINE, wait_until

CLIENTS = 4
PAUSE = 0.2
"""Seconds between two questions that cost those who are watched some of their time."""

_ENTRY = re.compile(
    r"### \d\d:\d\d\n<!-- session:(?P<session>\S+) turn:(?P<turn>\d+) db: -->\n"
    r"- User asked: (?P<question>.+)\n- Answer: (?P<answer>.+)\n\n"
)
_HEADING = re.compile(r"# \d{4}-\d\d-\d\d\n\n|## Session \d\d:\d\d\n\n")


@dataclass(frozen=True, slots=True)
class Storm:
    """What is done to a MemDock: turns a client, and how often each of its two processes is killed."""

    turns: int
    kills: int
    seed: int

    @property
    def total(self) -> int:
        return self.turns * CLIENTS

    def weather(self, server: Server, token: str, root: Path) -> None:
        """Deliver all turns of all clients, and wait until MemDock says of as many that they are written.

        The web server is killed once so many turns are acknowledged, the worker once so many are written.
        """
        chance = random.Random(self.seed)
        clients = [Client(server.url, token, root, f"s{number}") for number in range(CLIENTS)]

        def acknowledged() -> int:
            return sum(len(client.acknowledged) for client in clients)

        def entries() -> int:
            return journal(root).count("### ")

        with ThreadPoolExecutor(CLIENTS + 2) as pool:
            work = [pool.submit(client.deliver, self.turns) for client in clients]
            work += [
                pool.submit(_kill, server, name, self._moments(chance), progress)
                for name, progress in (("web", acknowledged), ("worker", entries))
            ]
            for one in work:
                one.result()
        history(server, token, root.name, written=self.total)

    def _moments(self, chance: random.Random) -> dict[int, float]:
        """Choose after how many turns, and how many seconds later, a process is killed."""
        return {turn: chance.uniform(0, 0.1) for turn in sorted(chance.sample(range(self.total // 2), self.kills))}


def _kill(server: Server, name: str, moments: dict[int, float], progress: Callable[[], int]) -> None:
    killed = 0
    for turns, later in moments.items():
        _reach(turns, progress)
        killed = _another(server, name, killed)
        time.sleep(later)
        os.kill(killed, signal.SIGKILL)


def _reach(turns: int, progress: Callable[[], int]) -> None:
    wait_until(lambda: progress() >= turns)


def _another(server: Server, name: str, known: int) -> int:
    """Return the process of this name, once it is another one than the one that was killed."""

    def found() -> int:
        time.sleep(PAUSE)
        pid = children(server).get(name, 0)
        return 0 if pid == known else pid

    return wait_until(found)


def journal(root: Path) -> str:
    """Return what stands in the day files, "" while there is none."""
    return "".join(path.read_text() for path in sorted((root / ".memsearch" / "memory").glob("*.md")))


def is_whole(text: str) -> bool:
    """Tell whether a journal is made of whole entries, each with the answer to its question, and of nothing else."""
    for entry in _ENTRY.finditer(text):
        number = int(entry["turn"])
        if (entry["question"], entry["answer"]) != (question(number), answer(number)):
            return False
    return not _HEADING.sub("", _ENTRY.sub("", text))


def written(text: str) -> list[tuple[str, int]]:
    """Return session and turn of each entry of a journal, in order."""
    return sorted((entry["session"], int(entry["turn"])) for entry in _ENTRY.finditer(text))


def history(server: Server, token: str, project: str, *, written: int) -> Counter[str]:
    """Wait until so many captures of a project are written; return how many things each kind of change speaks of."""
    told: dict[int, tuple[str, str]] = {}
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=DEADLINE) as http:
        wait_until(lambda: _listen(http, project, told)["capture.written"] >= written)
    return Counter(kind for kind, _ in set(told.values()))


def _listen(http: httpx.Client, project: str, told: dict[int, tuple[str, str]]) -> Counter[str]:
    """Read on in the feed; return how many changes of each kind there were."""
    time.sleep(PAUSE)
    asked = {"project": project, "after": str(max(told, default=0)), "limit": "200"}
    items = http.get("/api/v1/changes", params=asked).raise_for_status().json()["items"]
    told |= {item["id"]: (item["kind"], item["ref"]) for item in items}
    return Counter(kind for kind, _ in told.values())
