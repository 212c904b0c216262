"""Where conversations are looked for when nobody says where."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from memory.transcripts import registry, roots

PLATFORMS = sorted(registry.READERS)
VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "XDG_DATA_HOME", "DSH_HOME")


@pytest.fixture(autouse=True)
def person(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A person whose environment names nothing."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_agent_has_a_folder_in_the_home(platform: str, person: Path) -> None:
    assert all(root.is_relative_to(person) for root in roots.known(platform))
    assert roots.known(platform)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_folder_ends_as_it_does_in_any_home(platform: str) -> None:
    assert f"{roots.known(platform)[0]}/".endswith(f"/{registry.reader(platform).mark}")


def test_the_agents_own_variables_move_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", "/srv/codex")
    monkeypatch.setenv("DSH_HOME", "")
    assert roots.known("codex") == (Path("/srv/codex"),)
    assert roots.known("dsh")[0].name == "sessions"


def test_the_settings_name_other_folders(settings: Settings, person: Path) -> None:
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {"dsh": ["~/elsewhere", "/srv/dsh"]}
    assert roots.known("dsh") == (person / "elsewhere", Path("/srv/dsh"))
    assert roots.known("codex") == (person / ".codex",)


def test_an_unknown_agent_has_none() -> None:
    assert roots.known("cursor") == ()
