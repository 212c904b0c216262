"""Hooks and a real `memdock up`: what an agent does is written, told to the next session, and waits while it is away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.databases import own_database
from tests.makers import make_tree
from tests.servers import running
from tests.waiting import DEADLINE, wait_until

QUESTION = "Why does the berth importer in src/importer.py skip rows?"
ANSWER = "The berth importer skips rows because trim_rows in src/importer.py cuts trailing blanks."


@dataclass(frozen=True, slots=True)
class Place:
    """A project, and the environment in which MemDock and the hooks run."""

    project: Path
    environment: dict[str, str]

    def memdock(self, *arguments: str) -> Any:
        """Run `memdock … --json`; return what it printed."""
        done = self._run("-m", "memsite.cli", *arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def prefer_no_model(self) -> None:
        setting = (
            "from memory.models import Setting; Setting.objects.create(key='capture.summarizer', value='extractive')"
        )
        assert self._run("-m", "memsite.cli", "shell", "-c", setting).returncode == 0

    def fire(self, url: str, event: str, *, session: str, **given: Any) -> dict[str, Any]:
        """Run a hook of Codex, which finds MemDock at `url`; return what it printed."""
        common = {"session_id": session, "transcript_path": None, "cwd": str(self.project), "hook_event_name": event}
        done = self._run("-m", "memsite.cli", "hook", "codex", event, given=json.dumps(common | given), MEMDOCK_URL=url)
        assert (done.returncode, done.stderr) == (0, "")
        printed: dict[str, Any] = json.loads(done.stdout)
        return printed

    def turn(self, url: str, *, session: str, turn: str) -> None:
        self.fire(url, "UserPromptSubmit", session=session, turn_id=turn, prompt=QUESTION)
        self.fire(url, "Stop", session=session, turn_id=turn, last_assistant_message=ANSWER)

    def journal(self) -> str:
        return "".join(path.read_text() for path in (self.project / ".memsearch" / "memory").glob("*.md"))

    def spool(self) -> list[Path]:
        return list((Path(self.environment["MEMDOCK_DATA_DIR"]) / "spool").glob("*"))

    def _run(self, *arguments: str, given: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | self.environment | variables
        command = [sys.executable, *arguments]
        return subprocess.run(command, input=given, env=environment, capture_output=True, text=True, timeout=DEADLINE)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with own_database() as database:
        own = {"MEMDOCK_DATA_DIR": str(tmp_path / "data"), "HOME": str(tmp_path), "MEMDOCK_HOOK_WAIT": "20"}
        environment = database | own
        place = Place(make_tree(tmp_path / "harbor"), environment)
        place.memdock("connect", "codex", "--write")
        place.memdock("add", str(place.project))
        place.prefer_no_model()
        yield place


def test_a_turn_is_written_and_told_to_the_next_session(place: Place) -> None:
    with running(**place.environment) as server:
        place.turn(server.url, session="one", turn="t-1")
        wait_until(lambda: "session:one turn:t-1 " in place.journal())
        assert place.spool() == []
        wait_until(lambda: place.memdock("search", "trim_rows kind:entry"))

        printed = place.fire(server.url, "UserPromptSubmit", session="two", turn_id="t-2", prompt=QUESTION)

        told = printed["hookSpecificOutput"]["additionalContext"]
        assert told.startswith("<memdock-context>\n[memsearch] Memory available.")
        assert "trim_rows" in told


def test_what_happened_while_it_was_away_is_taken_from_the_spool(place: Place) -> None:
    place.turn("http://127.0.0.1:9", session="one", turn="t-1")
    assert len(place.spool()) == 2
    assert place.journal() == ""

    with running(**place.environment):
        wait_until(lambda: "session:one turn:t-1 " in place.journal())
        wait_until(lambda: not place.spool())
