"""A real `memdock up`, a real DSH that `memdock connect` connected, and a stub for the model."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from memory.journal import grammar
from tests.databases import own_database
from tests.places import FIXTURES
from tests.servers import _ready, free_port
from tests.waiting import DEADLINE

KIT = FIXTURES.parent / "dsh-kit"
COMPACTED_ABOVE = {"thresholdRatio": 0.02, "retainTokens": 100}
"""Of the model's million tokens: what DSH says by itself and a few short turns stay below, a long text does not."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the model: the system's words, those of the messages, and its tools."""

    session: str
    system: str
    messages: str
    tools: tuple[str, ...]

    def texts(self) -> list[str]:
        """Return the texts of all messages."""
        blocks = [block for message in json.loads(self.messages) for block in _blocks(message)]
        return [block["text"] for block in blocks if block.get("type") == "text"]

    def result(self) -> str:
        """Return what the last tool answered."""
        blocks = [block for message in json.loads(self.messages) for block in _blocks(message)]
        content = [block["content"] for block in blocks if block.get("type") == "tool_result"][-1]
        return content if isinstance(content, str) else "".join(part["text"] for part in content)


@dataclass(frozen=True, slots=True)
class Loop:
    """What plugins were told of a session: points and states in their order; and the files that were stored."""

    flushed: bool
    updates: list[list[str]]
    plugins: list[str]
    artifacts: list[list[str]]


@dataclass(frozen=True, slots=True)
class Harness:
    """A DSH home with a project directory, and the MemDock that its connector speaks to on `port`."""

    project: Path
    environment: dict[str, str]
    port: int
    model_log: Path

    def turns(self, *prompts: str, session: str = "", resume: str = "") -> list[str]:
        """Run turns of one session in a process of their own; return the answers."""
        script = Path(__file__).parent / "drive.py"
        command = [sys.executable, str(script), str(self.project), session, resume, *prompts]
        result = subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, timeout=180, check=False
        )
        assert result.returncode == 0, result.stderr
        answers: list[str] = json.loads(result.stdout.splitlines()[-1])
        return answers

    def asked(self, session: str) -> list[Asked]:
        """Return what the model was sent in the turns of a session, in order."""
        rows = [json.loads(line) for line in self.model_log.read_text().splitlines()]
        asked = [_asked({name.lower(): value for name, value in row["headers"].items()}, row["body"]) for row in rows]
        return [one for one in asked if one.session == session and one.tools]

    def remember(self, text: str) -> None:
        """Put an entry of an earlier session into the journal."""
        path = self.project / ".memsearch" / "memory" / "2026-02-03.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def journal(self) -> list[tuple[str, str]]:
        """Return session and turn of each entry of the journal, in its order."""
        entries = grammar.parse(self.journal_text().encode()).entries
        return [(entry.anchor.session, entry.anchor.turn) for entry in entries if entry.anchor]

    def journal_text(self) -> str:
        files = sorted((self.project / ".memsearch" / "memory").glob("*.md"))
        return "".join(path.read_text() for path in files)

    def exported(self) -> Any:
        """Return everything that MemDock tells over Engram's wire."""
        with urlopen(f"http://127.0.0.1:{self.port}/export?all_projects=true") as reply:
            return json.load(reply)

    def memdock(self, *arguments: str) -> Any:
        """Run `memdock … --json`; return what it printed."""
        return json.loads(self._run(*arguments, "--json"))

    def configure(self, **settings: object) -> None:
        """Connect DSH, add the project, and leave it a message; no model is asked for summaries."""
        self.memdock("connect", "dsh", "--write")
        chosen = {f"agent_loop.{key.replace('__', '.')}": value for key, value in settings.items()}
        self._script("settings.py", CHOSEN=json.dumps(chosen))

    def loop(self, session: str) -> Loop:
        """Return what MemDock has of a session's loop, once all of it is delivered."""
        return Loop(**json.loads(self._script("looped.py", SESSION=session)))

    @contextmanager
    def up(self) -> Iterator[None]:
        """Run MemDock on the port that the connector knows."""
        command = [sys.executable, "-m", "memsite.cli", "up", "--no-open", "--port", str(self.port)]
        environment = os.environ | self.environment
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            _ready(process)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=DEADLINE)

    def _script(self, name: str, **variables: str) -> str:
        """Run a script in MemDock's own shell."""
        return self._run("shell", "-v", "0", "-c", (Path(__file__).parent / name).read_text(), **variables)

    def _run(self, *arguments: str, **variables: str) -> str:
        command = [sys.executable, "-m", "memsite.cli", *arguments]
        environment = os.environ | self.environment | variables
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@contextmanager
def harnessed(place: Path) -> Iterator[Harness]:
    """Yield a harness below a directory while the stub of its model answers."""
    pytest.importorskip("deepseek_harness", reason="the group dsh is not installed: no tests with a real DSH")
    if shutil.which("dsh") is None or not KIT.is_dir():
        pytest.skip("no DSH, or no stub for its model, on this machine")
    model, port, log = free_port(), free_port(), place / "model.jsonl"
    home, project = place / "dsh", place / "harbor"
    (project / ".memsearch").mkdir(parents=True)
    with own_database() as database:
        environment = database | {
            "MEMDOCK_DATA_DIR": str(place / "data"),
            "MEMDOCK_URL": f"http://127.0.0.1:{port}",
            "HOME": str(place),
            "DSH_HOME": str(home),
            "DEEPSEEK_BASE_URL": f"http://127.0.0.1:{model}",
            "DEEPSEEK_API_KEY": "sk-stub",
            "DSH_PERMISSION_MODE": "danger-full-access",
        }
        stub = subprocess.Popen(
            [sys.executable, KIT / "llm_stub.py", str(model)],
            env=os.environ | {"STUB_LOG": str(log)},
            stderr=subprocess.DEVNULL,
        )
        try:
            _make_profile(home)
            yield Harness(project, environment, port, log)
        finally:
            stub.kill()
            stub.wait()


def _make_profile(home: Path) -> None:
    """Make the profile as DSH does at its first start."""
    profile = home / "profiles" / "sdk"
    profile.mkdir(parents=True)
    bundles = ["@deepseek-ai/dsh-base", "@deepseek-ai/dsh-sdk-app"]
    package = {"name": "dsh-profile-sdk", "private": True, "dependencies": {}, "dsh": {"profile": {"bundles": bundles}}}
    (profile / "package.json").write_text(json.dumps(package))
    (home / "cordis.patch.yml").write_text(json.dumps([{"id": "compaction-basic", "config": COMPACTED_ABOVE}]))


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _asked(headers: dict[str, str], body: dict[str, Any]) -> Asked:
    tools = () if headers.get("x-deepseek-harness-compact") else tuple(tool["name"] for tool in body.get("tools") or ())
    session = headers.get("x-deepseek-harness-session-id", "")
    return Asked(session, json.dumps(body.get("system")), json.dumps(body["messages"]), tools)
