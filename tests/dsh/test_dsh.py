"""A real DSH is captured turn by turn, is told what it found out before, and works on while MemDock is away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory.journal import grammar
from tests.dsh.conftest import Harness
from tests.servers import _ready
from tests.waiting import DEADLINE, wait_until

FIRST = (
    "Why does the berth importer in src/importer.py skip rows?\n"
    '@call bash {"description": "look", "command": "echo tool-output-123"}\n'
    "@say It trims trailing blanks in trim_rows."
)
SECOND = "Remember that the tide table is imported at six in the morning.\n@say Noted the tide table."
QUESTION = "What skips rows in the berth importer src/importer.py?\n@say Memory told me."


@contextmanager
def memdock_up(dsh: Harness) -> Iterator[None]:
    """Run MemDock on the port that the connector knows."""
    command = [sys.executable, "-m", "memsite.cli", "up", "--no-open", "--port", str(dsh.port)]
    environment = os.environ | dsh.environment
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        _ready(process)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE)


@pytest.fixture
def memory(dsh: Harness) -> Iterator[Harness]:
    """Yield the harness while MemDock runs, with the connector's token and without any model for summaries."""
    configure(dsh)
    with memdock_up(dsh):
        yield dsh


def configure(dsh: Harness) -> None:
    dsh.memdock("add", str(dsh.project))
    token = dsh.memdock("token", "create", "connector", "--scope", "write")["token"]
    (Path(dsh.environment["MEMDOCK_DATA_DIR"]) / "hook-token").write_text(token)
    setting = "from memory.models import Setting; Setting.objects.create(key='capture.summarizer', value='extractive')"
    command = [sys.executable, "-m", "memsite.cli", "shell", "-c", setting]
    subprocess.run(command, env=os.environ | dsh.environment, check=True, capture_output=True)


def turns(dsh: Harness) -> list[tuple[str, str]]:
    """Return session and turn of each entry of the journal, in its order."""
    entries = grammar.parse(dsh.journal().encode()).entries
    return [(entry.anchor.session, entry.anchor.turn) for entry in entries if entry.anchor]


def test_turns_are_written_found_and_told_to_the_next_session(memory: Harness) -> None:
    assert memory.turns(FIRST, SECOND, session="one") == [
        "It trims trailing blanks in trim_rows.",
        "Noted the tide table.",
    ]
    wait_until(lambda: turns(memory) == [("one", "1"), ("one", "2")])
    assert "- User asked: Why does the berth importer in src/importer.py skip rows?\n" in memory.journal()
    hits = memory.memdock("search", "trim_rows kind:entry")
    assert [hit["session"] for hit in hits] == ["one"]
    assert "Memory available" not in memory.asked_of_the_model()

    assert memory.turns(QUESTION, session="two") == ["Memory told me."]

    told = memory.asked_of_the_model().rpartition("[memsearch] Memory available.")[2]
    assert "trim_rows" in told
    wait_until(lambda: ("two", "1") in turns(memory))
    assert "Memory available" not in memory.journal()


def test_while_memdock_is_away_the_turn_goes_on_and_comes_later(dsh: Harness) -> None:
    configure(dsh)
    assert dsh.turns(FIRST, session="one") == ["It trims trailing blanks in trim_rows."]
    assert dsh.journal() == ""

    with memdock_up(dsh):
        assert dsh.turns(SECOND, resume="one") == ["Noted the tide table."]
        wait_until(lambda: turns(dsh) == [("one", "1"), ("one", "2")])
