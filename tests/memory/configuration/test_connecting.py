"""An agent as its files say, and connecting it with the audit trail looking on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.configuration import connecting
from memory.configuration.connecting import Moved
from memory.connect.refusals import CannotConnect
from memory.connect.registry import AGENTS
from memory.connect.steps import Outcome
from memory.models import ApiToken, AuditEntry, Project

pytestmark = pytest.mark.django_db(transaction=True)


def apply(
    name: str, *, seen: str | None = None, is_removal: bool = False, project: Project | None = None
) -> list[Outcome]:
    seen = connecting.look(name, project).digest if seen is None else seen
    return connecting.apply(name, project=project, is_removal=is_removal, seen=seen, actor=COMMAND, at=timezone.now())


def test_looking_writes_nothing_and_finds_nobody_on_an_empty_machine(home: Path) -> None:
    states = {name: connecting.look(name).state for name in AGENTS}

    assert set(states.values()) == {"not installed", "by hand"}
    assert list(home.rglob("*")) == []
    assert not ApiToken.objects.exists()


def test_an_agent_is_connected_and_taken_back(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}')
    assert connecting.look("claude-code").state == "not connected"

    outcomes = apply("claude-code")
    [backup] = [one.backup for one in outcomes if one.backup]
    assert connecting.look("claude-code").state == "connected"
    assert Path(backup).read_text() == '{"model": "opus"}'
    assert ApiToken.objects.valid().count() == 1
    written = connecting.last("claude-code")
    assert written
    assert written.action == connecting.CONNECTED
    assert {"target": str(settings), "state": "changed", "backup": backup} in written.detail["changes"]

    apply("claude-code", is_removal=True)
    assert connecting.look("claude-code").state == "not connected"
    assert settings.read_text() == '{"model": "opus"}'
    assert [row.action for row in AuditEntry.objects.filter(target="agent:claude-code").order_by("pk")] == [
        connecting.CONNECTED,
        connecting.TAKEN_BACK,
    ]


def test_what_is_connected_in_part_says_so(home: Path) -> None:
    apply("opencode")
    (home / ".config" / "opencode" / "opencode.json").unlink()

    assert connecting.look("opencode").state == "behind"


def test_what_was_not_shown_is_not_written(home: Path) -> None:
    seen = connecting.look("cursor").digest
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {}}')

    with pytest.raises(Moved):
        apply("cursor", seen=seen)
    assert (home / ".cursor" / "mcp.json").read_text() == '{"mcpServers": {}}'
    assert connecting.last("cursor") is None


def test_a_file_that_cannot_be_read_makes_it_unclear(home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text("{")

    found = connecting.look("gemini")

    assert found.state == "unclear"
    assert "settings.json" in found.why
    with pytest.raises(CannotConnect, match=r"settings\.json"):
        apply("gemini")


def test_a_project_is_connected_in_its_own_files(home: Path, tree: Path) -> None:
    project = Project.objects.create(name="harbor", root=str(tree))
    assert connecting.look("cursor", project).state == "not connected"

    apply("cursor", project=project)

    assert connecting.look("cursor", project).state == "connected"
    assert connecting.look("cursor").state == "not installed"
    assert "memdock" in json.loads((tree / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert connecting.last("cursor") is None
    assert connecting.last("cursor", project)
