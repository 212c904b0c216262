"""Agents as people install them, in a home of their own, connected to a real `memdock up`, with a stub for the model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.databases import own_database
from tests.places import ROOT
from tests.run import model_stub
from tests.run.capturing import prepare_apart
from tests.run.crashing import history, journal
from tests.run.model_stub import Model
from tests.servers import Server, running
from tests.waiting import DEADLINE

ANSWER = "The lease manager listens on port 4242 for leases and on 4243 for health checks."
_NOT_OURS = ("ANTHROPIC_", "CLAUDE", "CODEX_", "OPENAI_", "MEMDOCK_", "MEMSEARCH_")


@dataclass(frozen=True, slots=True)
class RealAgent:
    """An agent that was connected with `memdock connect … --write`; it runs in `project`."""

    project: Path
    home: Path
    environment: dict[str, str]
    model: Model
    server: Server
    token: str

    def run(self, *command: str) -> str:
        """Run the agent to its end, as a script would; return what it printed."""
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def captured(self, turns: int) -> str:
        """Wait until so many turns are written; return the journal."""
        history(self.server, self.token, self.project.name, written=turns)
        return journal(self.project)

    def found(self, asked: str) -> list[Any]:
        """Search, as the agent's own tools would; return the hits."""
        headers = {"Authorization": f"Bearer {self.token}"}
        response = httpx.get(f"{self.server.url}/api/v1/search", params={"q": asked}, headers=headers, timeout=DEADLINE)
        items: list[Any] = response.raise_for_status().json()["items"]
        return items


def program(name: str) -> Path:
    """Return the agent's program, from PATH or from the variable that names it; without one the test is left out."""
    variable = f"MEMDOCK_TEST_{name.upper()}"
    known = os.environ.get(variable) or shutil.which(name)
    if not known:
        pytest.skip(f"there is no `{name}` on PATH, and {variable} names none")
    return Path(known)


@contextmanager
def connected(platform: str, own: Path, place: Path, **variables: str) -> Iterator[RealAgent]:
    """Start MemDock, connect the agent whose program is given, and stop MemDock when the block ends.

    In the agent's variables `{model}` stands for the address of its model.
    """
    home, project = place / "home", place / "harbor"
    for directory in (home / "bin", project):
        directory.mkdir(parents=True)
    (home / "bin" / own.stem).symlink_to(own.absolute())
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    with own_database() as database, model_stub.answering(ANSWER) as model:
        memdock = {**database, "MEMDOCK_DATA_DIR": str(place / "data"), "HOME": str(home)}
        with running(**memdock) as server:
            given = {name: value.format(model=model.url) for name, value in variables.items()}
            environment = _clean() | memdock | {"MEMDOCK_URL": server.url, **given}
            environment["PATH"] = f"{home / 'bin'}:{environment['PATH']}"
            _connect(platform, environment)
            yield RealAgent(project, home, environment, model, server, prepare_apart(memdock))


def _clean() -> dict[str, str]:
    """Return the environment without what belongs to an agent or a MemDock of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
    return kept | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def _connect(platform: str, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "memsite.cli", "connect", platform, "--write"]
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
