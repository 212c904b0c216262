"""A consumer that is killed again and again while changes flow, and what it did by then.

Its processes are forked off one that has loaded everything: a start that takes a second would leave most of the storm to
the waiting for it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO

from tests.run.processes import running, script
from tests.waiting import wait_until

_CONSUMER = """
import asyncio, signal
from django.conf import settings
from django.db import connections
from memory.models import SubscriptionCursor
from memory.service import consumers
from memory.service.desk import books
from memory.service.service import service

log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

async def handle(change):
    os.write(log, f"{change.plugin_id} {change.cursor} {change.memory_id}\\n".encode())

async def live():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await consumers.run(consumers.Consumer("storm", handle), service, stop=stop)

def cursors():
    rows = SubscriptionCursor.objects.exclude(cursor="").values_list("plugin_id", "cursor")
    told = " ".join(f"{plugin_id}={cursor}" for plugin_id, cursor in rows)
    connections.close_all()
    return told

async def begin():
    for plugin_id in ("journal", "observations"):
        await consumers.Consumer("storm", handle).store().save(plugin_id, "0")

asyncio.run(begin())
books.rest()
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        with consumers.alone("storm"):
            asyncio.run(live())
        os._exit(0)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print(cursors(), flush=True)
"""

_PRODUCER = """
from django.db import transaction
from django.utils import timezone
from memory import changes
from memory.changes import Note

kinds = ("entry.added", "observation.saved")
for first in range(1, int(sys.argv[1]) + 1, 10):
    with transaction.atomic():
        numbers = range(first, min(first + 10, int(sys.argv[1]) + 1))
        changes.append([Note(kinds[n % 2], f"memory:{n}") for n in numbers], project=None, at=timezone.now())
"""

PLUGINS = ("journal", "observations")


@dataclass(frozen=True, slots=True)
class Effect:
    """One line that the consumer wrote."""

    plugin_id: str
    cursor: int
    memory_id: str


@dataclass(frozen=True, slots=True)
class Storm:
    """So many changes, so many kills at seeded points."""

    changes: int
    kills: int
    seed: int

    def weather(self, environment: dict[str, str], log: Path) -> list[Effect]:
        """Let the storm pass; return all effects in order. Raises AssertionError for a cursor ahead of its effects."""
        chance = random.Random(self.seed)
        log.touch()
        with running(environment, *script(_CONSUMER), str(log)) as keeper:
            with running(environment, *script(_PRODUCER), str(self.changes)) as producer:
                for least in sorted(chance.sample(range(self.changes), self.kills)):
                    pid = _start(keeper)
                    wait_until(partial(_has, log, least))
                    time.sleep(chance.uniform(0, 0.005))
                    os.kill(pid, signal.SIGKILL)
                    _check(_told(keeper), log)
                assert producer.wait() == 0
            pid = _start(keeper)
            wait_until(lambda: len({effect.cursor for effect in effects(log)}) == self.changes)
            _stop(keeper, pid)
        return effects(log)


def effects(log: Path) -> list[Effect]:
    rows = (line.split() for line in log.read_text().splitlines())
    return [Effect(plugin_id, int(cursor), memory_id) for plugin_id, cursor, memory_id in rows]


def repeated(done: list[Effect]) -> int:
    """Return how many effects came again."""
    return sum(count - 1 for count in Counter(done).values())


def is_in_order(done: list[Effect]) -> bool:
    """Tell whether each plugin's effects are in order once repetitions are left out."""
    once = list(dict.fromkeys(done))
    for plugin_id in PLUGINS:
        own = [effect.cursor for effect in once if effect.plugin_id == plugin_id]
        if any(one >= other for one, other in pairwise(own)):
            return False
    return True


def _start(keeper: subprocess.Popen[str]) -> int:
    assert keeper.stdin
    keeper.stdin.write("go\n")
    keeper.stdin.flush()
    return int(_line(keeper.stdout))


def _stop(keeper: subprocess.Popen[str], pid: int) -> None:
    """End a consumer as a person does."""
    os.kill(pid, signal.SIGTERM)
    _told(keeper)


def _told(keeper: subprocess.Popen[str]) -> dict[str, int]:
    """Return the cursors that were saved when the consumer was gone."""
    pairs = (pair.split("=") for pair in _line(keeper.stdout).split())
    return {plugin_id: int(cursor) for plugin_id, cursor in pairs}


def _check(cursors: dict[str, int], log: Path) -> None:
    """Hold each cursor against the effects: what lies before it was done."""
    done = effects(log)
    for plugin_id in PLUGINS:
        own = [effect.cursor for effect in done if effect.plugin_id == plugin_id]
        assert cursors[plugin_id] <= max(own, default=0), f"the cursor of {plugin_id} ran ahead"


def _line(pipe: IO[str] | None) -> str:
    assert pipe
    return pipe.readline()


def _has(log: Path, least: int) -> bool:
    return log.read_bytes().count(b"\n") >= least
