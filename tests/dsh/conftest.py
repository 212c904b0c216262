"""A real `memdock up`, a real DSH with MemDock's connector in its profile, and a stub for the model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.databases import own_database
from tests.places import FIXTURES, ROOT
from tests.servers import free_port

KIT = FIXTURES.parent / "dsh-kit"
CONNECTOR = ROOT / "memory" / "connect" / "dsh"


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

    def asked_of_the_model(self) -> str:
        """Return everything that the model was sent so far."""
        return self.model_log.read_text()

    def journal(self) -> str:
        files = sorted((self.project / ".memsearch" / "memory").glob("*.md"))
        return "".join(path.read_text() for path in files)

    def memdock(self, *arguments: str) -> Any:
        """Run `memdock … --json`; return what it printed."""
        command = [sys.executable, "-m", "memsite.cli", *arguments, "--json"]
        environment = os.environ | self.environment
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return json.loads(result.stdout)


@pytest.fixture
def dsh(tmp_path: Path) -> Iterator[Harness]:
    pytest.importorskip("deepseek_harness", reason="the group dsh is not installed: no tests with a real DSH")
    if shutil.which("dsh") is None or not KIT.is_dir():
        pytest.skip("no DSH, or no stub for its model, on this machine")
    model, port, log = free_port(), free_port(), tmp_path / "model.jsonl"
    home, project = tmp_path / "dsh", tmp_path / "harbor"
    (project / ".memsearch").mkdir(parents=True)
    with own_database() as database:
        environment = database | {
            "MEMDOCK_DATA_DIR": str(tmp_path / "data"),
            "MEMDOCK_URL": f"http://127.0.0.1:{port}",
            "HOME": str(tmp_path),
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
            _install(home)
            yield Harness(project, environment, port, log)
        finally:
            stub.kill()
            stub.wait()


def _install(home: Path) -> None:
    """Put the connector into the profile, as `dsh plugin add` would with pnpm."""
    profile = home / "profiles" / "sdk"
    (profile / "node_modules").mkdir(parents=True)
    (profile / "node_modules" / "memdock-dsh").symlink_to(CONNECTOR)
    bundles = ["@deepseek-ai/dsh-base", "@deepseek-ai/dsh-sdk-app", "memdock-dsh"]
    package = {"name": "dsh-profile-sdk", "private": True, "dependencies": {}, "dsh": {"profile": {"bundles": bundles}}}
    (profile / "package.json").write_text(json.dumps(package))
