"""What several processes write, follow and ask at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.databases import own_database
from tests.makers import make_entry_text, make_tree
from tests.run import processes
from tests.run.test_up import memdock
from tests.servers import Server, children, running
from tests.waiting import wait_until

DAYS = [f"2026-02-{day:02}" for day in range(1, 5)]

# Each reads the tree and leaves the index to others, as a process does that commits much at once.
READ = """
from django.utils import timezone
from memory.audit import COMMAND
from memory.models import Change
from memory.projects import actions, sync
from memory.search import index
index.disconnect()
project, _ = actions.add(path=sys.argv[-1], actor=COMMAND, at=timezone.now())
sync.sync(project, at=timezone.now())
print(Change.objects.count())
"""
FOLLOW = """
from memory.search import index
print("ready", flush=True)
sys.stdin.readline()
print(index.follow())
"""
DRIFT = """
from memory.models import SearchDocument
from memory.search import index
found = index.drift()
print(len(found.missing), len(found.left_over), SearchDocument.objects.count())
"""


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    with own_database() as database:
        yield {**database, "MEMDOCK_DATA_DIR": str(tmp_path / "data"), "MEMDOCK_EMBEDDING": "none"}


def day(entries: int) -> str:
    return "".join(
        make_entry_text(f"{n // 60:02}:{n % 60:02}", session="s", turn=str(n), body=f"- Moored lighter{n}")
        for n in range(entries)
    )


@contextmanager
def alone(server: Server) -> Iterator[None]:
    """Let nothing but the web server run meanwhile."""
    wait_until(lambda: len(children(server)) == 3)
    others = [children(server)[name] for name in ("watch", "worker")]
    for pid in others:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in others:
            os.kill(pid, signal.SIGCONT)


def test_the_next_question_finds_what_another_process_committed(environment: dict[str, str], tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "harbor", {DAYS[0]: day(3)})
    memdock(environment, "add", str(tree))
    token = memdock(environment, "token", "create", "test", "--scope", "read")["token"]
    with running(**environment) as server, alone(server):
        make_tree(tree, {DAYS[1]: make_entry_text(body="- Surveyed the shoal")})
        processes.run(environment, READ, str(tree))
        answer = httpx.get(
            f"{server.url}/api/v1/search",
            params={"q": "shoal kind:entry"},
            headers={"Authorization": f"Bearer {token}"},
            timeout=30,
        )
    assert [hit["title"] for hit in answer.json()["items"]] == ["Surveyed the shoal"]
    assert "hint" not in answer.json() or not answer.json()["hint"]


def test_a_command_ends_with_what_it_read_in_the_index(environment: dict[str, str], tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "harbor", dict.fromkeys(DAYS, day(600)))
    for command in (["add", str(tree)], ["sync"]):
        done = subprocess.run(
            [sys.executable, "-m", "memsite.cli", *command],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert ("Indexed in" in done.stderr) == (command[0] == "add")
        assert processes.run(environment, DRIFT) == "0 0 2401"
        make_tree(tree, dict.fromkeys(DAYS, day(600)))


def test_followers_share_the_feed_and_take_nothing_up_twice(environment: dict[str, str], tmp_path: Path) -> None:
    memdock(environment, "sync")  # makes the tables
    tree = make_tree(tmp_path / "harbor", dict.fromkeys(DAYS, day(1200)))
    with (
        processes.running(environment, *processes.script(FOLLOW)) as one,
        processes.running(environment, *processes.script(FOLLOW)) as other,
    ):
        followers = [(one.stdin, one.stdout), (other.stdin, other.stdout)]
        assert [told.readline() for _, told in followers if told] == ["ready\n"] * 2
        written = int(processes.run(environment, READ, str(tree)))
        for asked, _ in followers:
            assert asked
            asked.write("go\n")
            asked.flush()
        taken = [int(told.readline()) for _, told in followers if told]
    assert sum(taken) == written
    assert processes.run(environment, DRIFT) == "0 0 4801"
