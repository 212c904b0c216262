"""A home directory of its own, and the command in it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings

type Connect = Callable[..., dict[str, Any]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Path:
    """Return an empty home directory; no agent is on PATH, and no variable leads elsewhere."""
    home, data = tmp_path / "home", tmp_path / "data"
    home.mkdir()
    data.mkdir()
    settings.DATA_DIR = data
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "DSH_HOME", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def connect(home: Path, transactional_db: None) -> Connect:
    """Return what runs `memdock connect … --json` in that home."""

    def run(*arguments: str) -> dict[str, Any]:
        output = io.StringIO()
        call_command("connect", *arguments, "--json", stdout=output)
        found: dict[str, Any] = json.loads(output.getvalue())
        return found

    return run


def states(report: dict[str, Any]) -> list[str]:
    return [change["state"] for change in report["changes"]]


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files below a folder, without backups."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "memdock-backup" not in path.name)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
