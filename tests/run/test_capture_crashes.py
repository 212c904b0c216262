"""What was acknowledged is written once, whatever is killed meanwhile, and however often it is delivered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import httpx
import pytest

from tests.databases import own_database
from tests.makers import make_tree
from tests.memory.capture.events import dsh_document, dsh_turn
from tests.run.capturing import answer, insist, prepare_apart, question
from tests.run.crashing import CLIENTS, Storm, history, is_whole, journal, written
from tests.run.processes import running as running_python
from tests.run.processes import script
from tests.servers import Server, running

STORM = Storm(turns=50, kills=3, seed=20260524)
AT_ONCE = 5

_DELIVER = """
import json
from concurrent.futures import ThreadPoolExecutor
from django.utils import timezone
from memory.capture import accept, document
parsed = document.parse(json.loads(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(int(sys.argv[2])) as pool:
    calls = [pool.submit(accept.accept, parsed, at=timezone.now()) for _ in range(int(sys.argv[2]))]
    print(json.dumps([call.result().captures[0].state for call in calls]))
"""


@dataclass(frozen=True, slots=True)
class Dock:
    """A running MemDock, whose environment it is, and a token for it."""

    server: Server
    environment: dict[str, str]
    token: str


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with own_database() as database:
        home = str(tmp_path_factory.mktemp("home"))  # where nobody configured anything
        yield {**database, "MEMDOCK_DATA_DIR": str(tmp_path_factory.mktemp("data")), "HOME": home}


@pytest.fixture(scope="module")
def dock(environment: dict[str, str]) -> Iterator[Dock]:
    with running(**environment) as server:
        yield Dock(server, environment, prepare_apart(environment))


def test_one_turn_that_two_processes_deliver_ten_times_at_once_is_one_entry(dock: Dock, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "harbor")
    turn = dsh_document(root, dsh_turn(7, first=1, asked=question(7), answer=answer(7)), session="once")
    arguments = *script(_DELIVER), json.dumps(turn), str(AT_ONCE)
    with (
        running_python(dock.environment, *arguments) as other,
        httpx.Client(base_url=dock.server.url, headers={"Authorization": f"Bearer {dock.token}"}) as http,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        assert other.stdout and other.stdout.readline() == "ready\n"
        calls = [pool.submit(insist, http, turn) for _ in range(AT_ONCE)]
        printed, _ = other.communicate("go\n")
        states = json.loads(printed) + [call.result()["captures"][0]["state"] for call in calls]

    assert sorted(states) == ["captured"] * (2 * AT_ONCE - 1) + ["queued"]
    told = history(dock.server, dock.token, "harbor", written=1)
    assert (told["capture.queued"], told["capture.written"], told["entry.added"]) == (1, 1, 1)
    assert written(journal(root)) == [("once", 7)]
    assert is_whole(journal(root))


def test_every_acknowledged_turn_is_written_once_whatever_is_killed(dock: Dock, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "lighthouse")

    STORM.weather(dock.server, dock.token, root)

    told = history(dock.server, dock.token, "lighthouse", written=STORM.total)
    assert (told["capture.queued"], told["capture.written"], told["entry.added"]) == (STORM.total,) * 3
    assert not told["capture.failed"] and not told["entry.removed"]
    [day] = (root / ".memsearch" / "memory").iterdir()
    assert is_whole(day.read_text())
    sessions = (f"s{number}" for number in range(CLIENTS))
    assert written(day.read_text()) == list(product(sessions, range(1, STORM.turns + 1)))
