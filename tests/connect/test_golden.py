"""What is written into files that people have, to the byte: the golden files beside this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.connect import programs
from tests.connect.conftest import Connect, snapshot, states

GOLDEN = Path(__file__).parent / "golden"

CASES = [
    ("claude-code", "foreign-hooks", ".claude/settings.json"),
    ("claude-code", "tabs-crlf-bom", ".claude/settings.json"),
    ("codex", "foreign-hooks", ".codex/hooks.json"),
    ("codex", "config", ".codex/config.toml"),
    ("codex", "config-crlf-no-end", ".codex/config.toml"),
    ("opencode", "comments", ".config/opencode/opencode.jsonc"),
    ("vscode", "inputs", ".config/Code/User/mcp.json"),
    ("gemini", "settings", ".gemini/settings.json"),
    ("dsh", "package", ".dsh/profiles/sdk/package.json"),
]
UPDATED = ("claude-code", "older-memdock", ".claude/settings.json")


@pytest.fixture(autouse=True)
def placed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say where the command is; the golden files cannot know."""
    monkeypatch.setattr(programs, "memdock", lambda: "/opt/memdock")


def start(home: Path, agent: str, case: str, path: str) -> bytes:
    data = (GOLDEN / agent / f"{case}.before").read_bytes()
    target = home / path
    target.parent.mkdir(parents=True)
    target.write_bytes(data)
    return data


@pytest.mark.parametrize(("agent", "case", "path"), [*CASES, UPDATED])
def test_only_our_entries_are_added(home: Path, connect: Connect, agent: str, case: str, path: str) -> None:
    start(home, agent, case, path)

    connect(agent, "--write")

    assert (home / path).read_bytes() == (GOLDEN / agent / f"{case}.after").read_bytes()


@pytest.mark.parametrize(("agent", "case", "path"), [*CASES, UPDATED])
def test_a_second_time_changes_no_byte_and_makes_no_backup(
    home: Path, connect: Connect, agent: str, case: str, path: str
) -> None:
    start(home, agent, case, path)
    connect(agent, "--write")
    before = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}

    report = connect(agent, "--write")

    assert set(states(report)) == {"unchanged"}
    assert {file: file.read_bytes() for file in home.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(("agent", "case", "path"), CASES)
def test_removing_brings_every_byte_back(home: Path, connect: Connect, agent: str, case: str, path: str) -> None:
    start(home, agent, case, path)
    before = snapshot(home)
    connect(agent, "--write")

    connect(agent, "--remove")

    assert snapshot(home) == before


@pytest.mark.parametrize(("agent", "case", "path"), CASES)
def test_showing_changes_nothing_and_tells_the_difference(
    home: Path, connect: Connect, agent: str, case: str, path: str
) -> None:
    start(home, agent, case, path)
    before = snapshot(home)

    report = connect(agent)

    assert snapshot(home) == before
    (change,) = [change for change in report["changes"] if change["target"] == str(home / path)]
    assert change["state"] == "changed"
    assert "\n+" in change["diff"]


def test_an_older_entry_is_brought_up_to_date_in_its_place_and_then_taken_out(home: Path, connect: Connect) -> None:
    agent, case, path = UPDATED
    start(home, agent, case, path)
    connect(agent, "--write")

    connect(agent, "--remove")

    left = '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "later"}]}\n    ]\n  }\n}\n'
    assert (home / path).read_text() == left
