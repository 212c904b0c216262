"""Each agent as it is connected on a machine with nothing yet, and what is said beside it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError
from django.utils import timezone

from memory.api import tokens
from memory.audit import COMMAND
from memory.connect import hooks, own_files, programs
from memory.connect.registry import AGENTS
from memory.models import ApiToken
from memory.models.token import Scope
from tests.connect.conftest import Connect, snapshot, states

WITH_FILES = sorted(set(AGENTS) - {"dsh", "openclaw", "mcp", "engram"})
WITH_TOKEN = ["claude-code", "codex", "opencode", "openclaw", "dsh"]


def program(folder: Path, name: str, text: str) -> Path:
    """Put a program of a few lines of shell on PATH, which `home` made."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def read(path: Path) -> Any:
    return json.loads(path.read_text())


@pytest.mark.parametrize("agent", WITH_FILES)
def test_an_agent_is_connected_once_and_taken_back(home: Path, connect: Connect, agent: str) -> None:
    assert set(states(connect(agent, "--write"))) == {"created"}
    assert set(states(connect(agent, "--write"))) == {"unchanged"}

    assert set(states(connect(agent, "--remove"))) == {"removed"}
    assert set(states(connect(agent, "--remove"))) == {"unchanged"}
    assert snapshot(home) == {}


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_showing_writes_nothing(home: Path, connect: Connect, agent: str) -> None:
    report = connect(agent)

    assert report["changes"] or report["paste"]
    assert list(home.rglob("*")) == []
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("agent", sorted(set(WITH_FILES) - {"windsurf", "claude-desktop"}))
def test_what_a_project_shares_names_no_place_on_this_machine(
    home: Path, connect: Connect, agent: str, tree: Path
) -> None:
    report = connect(agent, "--project", str(tree), "--write")

    written = b"".join(snapshot(tree).values()).decode()
    assert set(states(report)) == {"created"}
    assert "memdock" in written
    assert str(home.parent) not in written
    assert programs.memdock() not in written or programs.memdock() == "memdock"
    connect(agent, "--project", str(tree), "--remove")
    assert (snapshot(tree), list(home.rglob("*"))) == ({}, [])


@pytest.mark.parametrize("agent", ["windsurf", "claude-desktop", "dsh", "openclaw"])
def test_an_agent_without_files_in_projects_says_so(connect: Connect, agent: str, tree: Path) -> None:
    with pytest.raises(CommandError, match="--project"):
        connect(agent, "--project", str(tree), "--write")


@pytest.mark.parametrize("agent", ["mcp", "engram"])
def test_what_is_only_said_cannot_be_written(connect: Connect, agent: str) -> None:
    with pytest.raises(CommandError, match="no file to write"):
        connect(agent, "--write")


@pytest.mark.parametrize("agent", WITH_TOKEN)
def test_hooks_get_one_token_that_only_its_owner_reads(connect: Connect, agent: str) -> None:
    assert connect(agent, "--write")["token"] == "created"
    assert connect(agent, "--write")["token"] == ""

    path = settings.DATA_DIR / "hook-token"
    found = tokens.find(path.read_text().strip())
    assert found and found.scope == Scope.WRITE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_token_that_was_revoked_is_made_anew(connect: Connect) -> None:
    connect("codex", "--write")
    tokens.revoke(name=ApiToken.objects.get().name, actor=COMMAND, at=timezone.now())

    assert connect("codex", "--write")["token"] == "created"

    assert tokens.find((settings.DATA_DIR / "hook-token").read_text().strip())


def test_an_mcp_client_needs_no_token(connect: Connect) -> None:
    connect("cursor", "--write")

    assert not ApiToken.objects.exists()


def test_an_older_claude_code_is_called_through_a_shell(home: Path, connect: Connect, tmp_path: Path) -> None:
    program(tmp_path / "no-programs", "claude", 'case "$1" in --version) echo "2.1.120 (Claude Code)";; esac')

    connect("claude-code", "--write")

    (group,) = read(home / ".claude" / "settings.json")["hooks"]["Stop"]
    (handler,) = group["hooks"]
    assert handler == {
        "type": "command",
        "command": f'"{programs.memdock()}" hook claude-code Stop',
        "timeout": 10,
    }
    assert hooks.is_ours(handler, "claude-code")


def test_a_live_configuration_is_changed_by_claude_code_itself(home: Path, connect: Connect, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program(tmp_path / "no-programs", "claude", f'echo "$@" >> {log}')

    connect("claude-code", "--write")
    connect("claude-code", "--remove")

    asked = [line for line in log.read_text().splitlines() if line != "--version"]
    assert asked == [
        f"mcp add --scope user memdock -- {programs.memdock()} mcp",
        "mcp remove --scope user memdock",
    ]
    assert snapshot(home) == {}


def test_what_its_command_refuses_is_said(connect: Connect, tmp_path: Path) -> None:
    program(tmp_path / "no-programs", "claude", 'echo "managed by policy" >&2; exit 1')

    with pytest.raises(CommandError, match="managed by policy"):
        connect("claude-code", "--write")


def test_codex_gets_the_bare_word_where_that_is_enough(home: Path, connect: Connect, tmp_path: Path) -> None:
    program(tmp_path / "no-programs", "memdock", "")

    connect("codex", "--write")

    groups = read(home / ".codex" / "hooks.json")["hooks"]
    assert groups["SessionEnd"] == [
        {"hooks": [{"type": "command", "command": "memdock hook codex SessionEnd", "timeout": 3}]}
    ]
    assert groups["SessionStart"][0]["hooks"][0]["statusMessage"] == "MemDock"


def test_hooks_that_a_person_switched_off_stay_off(home: Path, connect: Connect) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("[features]\nhooks = false\n")

    report = connect("codex", "--write")

    assert any("switched off" in note for note in report["notes"])
    assert "hooks = false" in (home / ".codex" / "config.toml").read_text()


def test_another_server_of_the_same_name_is_not_taken_over(home: Path, connect: Connect) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    data = '{"mcpServers": {"memdock": {"command": "something-else"}}}'
    path.write_text(data)

    with pytest.raises(CommandError, match="another server"):
        connect("cursor", "--write")
    connect("cursor", "--remove")

    assert path.read_text() == data


def test_a_persons_own_keys_in_our_entry_are_kept(home: Path, connect: Connect) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(
        '{"mcpServers": {"memdock": {"url": "http://127.0.0.1:7437/mcp", "headers": {}, "disabled": true}}}'
    )

    connect("cursor", "--write")

    entry = {"command": programs.memdock(), "args": ["mcp"], "disabled": True}
    assert read(path) == {"mcpServers": {"memdock": entry}}


def test_a_skill_or_plugin_of_somebody_else_stays(home: Path, connect: Connect) -> None:
    skill = home / ".claude" / "skills" / "memory-recall" / "SKILL.md"
    plugin = home / ".config" / "opencode" / "plugins" / "memdock.js"
    for path in (skill, plugin):
        path.parent.mkdir(parents=True)
        path.write_text("mine")

    connect("claude-code", "--write")
    with pytest.raises(CommandError, match="not MemDock's"):
        connect("opencode", "--write")
    connect("claude-code", "--remove")
    connect("opencode", "--remove")

    assert (skill.read_text(), plugin.read_text()) == ("mine", "mine")


def test_a_profile_of_dsh_is_linked_and_unlinked(home: Path, connect: Connect) -> None:
    profile = home / ".dsh" / "profiles" / "sdk"
    profile.mkdir(parents=True)
    package = '{"name": "p", "dsh": {"profile": {"bundles": ["@deepseek-ai/dsh-base"]}}}\n'
    (profile / "package.json").write_text(package)
    (home / ".dsh" / "profiles" / "other").mkdir()
    (home / ".dsh" / "profiles" / "other" / "package.json").write_text('{"name": "no profile"}')

    report = connect("dsh", "--write")

    link = profile / "node_modules" / "memdock-dsh"
    assert read(profile / "package.json")["dsh"]["profile"]["bundles"] == ["@deepseek-ai/dsh-base", "memdock-dsh"]
    assert read(link / "package.json")["name"] == "memdock-dsh"
    assert report["paste"] == [f"dsh plugin --profile sdk add {own_files.HERE / 'dsh'}"]
    connect("dsh", "--remove")
    assert (profile / "package.json").read_text() == package
    assert not link.is_symlink()


def test_a_plugin_that_was_installed_by_other_means_is_not_touched(home: Path, connect: Connect) -> None:
    profile = home / ".dsh" / "profiles" / "sdk"
    installed = profile / "node_modules" / "memdock-dsh"
    installed.mkdir(parents=True)
    (profile / "package.json").write_text('{"dsh": {"profile": {"bundles": ["memdock-dsh"]}}}')

    assert "changed" not in states(connect("dsh", "--write"))
    assert installed.is_dir() and not installed.is_symlink()


def test_openclaw_is_changed_by_its_own_commands(home: Path, connect: Connect, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program(tmp_path / "no-programs", "openclaw", f'echo "$@" >> {log}')
    (home / ".openclaw").mkdir()
    refused = {"plugins": {"entries": {"memdock": {"hooks": {"allowPromptInjection": False}}}}}
    (home / ".openclaw" / "openclaw.json").write_text(f"// mine\n{json.dumps(refused)}")

    report = connect("openclaw", "--write")

    server = json.dumps({"command": programs.memdock(), "args": ["mcp"]})
    assert log.read_text().splitlines() == [
        "config set plugins.entries.memdock.hooks.allowConversationAccess true",
        f"mcp set memdock {server}",
    ]
    assert any("allowPromptInjection is switched off" in note for note in report["notes"])


def test_what_is_shipped_is_whole(connect: Connect) -> None:
    assert (
        (own_files.HERE / "skills" / "memory-recall" / "SKILL.md").read_text().startswith("---\nname: memory-recall\n")
    )
    for name in ("dsh/index.js", "opencode/memdock.js", "openclaw/index.js", "openclaw/openclaw.plugin.json"):
        assert (own_files.HERE / name).stat().st_size > 0
