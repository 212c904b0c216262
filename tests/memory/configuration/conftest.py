"""A home directory of its own: what is set up on the machine of the tests is no part of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

_LEADING_ELSEWHERE = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_CONFIG_HOME",
    "DSH_HOME",
    "DSH_CLI",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Path:
    """Return an empty home directory; no agent is on PATH, and no variable leads elsewhere."""
    home, settings.DATA_DIR = tmp_path / "home", tmp_path / "data"
    home.mkdir()
    settings.DATA_DIR.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    for name in _LEADING_ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    return home


def configure(home: Path, text: str) -> None:
    """Write MemSearch's own configuration."""
    (home / ".memsearch").mkdir(exist_ok=True)
    (home / ".memsearch" / "config.toml").write_text(text)
