"""A real `memdock mcp`, with a data directory of its own and no web server anywhere."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.databases import own_database
from tests.mcp.clients import PATIENCE_S, Agent, command, environment, on_stdio
from tests.mcp.scenes import EVERY, call_every_tool, save_at_once, send_nonsense
from tests.memory.api.engram.agents import make_repositories

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Yield the variables of an empty data directory, beside the repository `harbor`."""
    make_repositories(tmp_path, "harbor")
    with own_database() as database:
        yield database | {"MEMDOCK_DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def harbor(tmp_path: Path) -> str:
    return str(tmp_path / "harbor")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_every_tool_works_without_a_web_server(place: dict[str, str], harbor: str, mode: str) -> None:
    on_stdio(call_every_tool, directory=harbor, mode=mode, **place)


def test_calls_at_once_do_not_disturb_one_another(place: dict[str, str], harbor: str) -> None:
    on_stdio(save_at_once, directory=harbor, **place)


def test_nonsense_is_answered(place: dict[str, str], harbor: str) -> None:
    on_stdio(send_nonsense, directory=harbor, **place)


def test_a_profile_and_a_project_can_be_chosen(place: dict[str, str], tmp_path: Path) -> None:
    async def scene(agent: Agent) -> None:
        assert await agent.names() == EVERY - {"mem_delete", "mem_stats", "mem_timeline", "mem_merge_projects"}
        told = await agent.read("mem_save", title="A", content="B")
        assert (told["project"], told["project_source"]) == ("tide", "process_override")

    on_stdio(scene, "--tools=agent", "--project", "Tide", directory=str(tmp_path), **place)


def test_claude_code_names_its_project(place: dict[str, str], harbor: str, tmp_path: Path) -> None:
    async def scene(agent: Agent) -> None:
        assert (await agent.read("mem_current_project"))["project"] == "harbor"

    elsewhere = tmp_path / "plugin"
    elsewhere.mkdir()
    on_stdio(scene, directory=str(elsewhere), **place | {"CLAUDE_PROJECT_DIR": harbor})


def test_a_person_chooses_among_several_projects(place: dict[str, str], tmp_path: Path) -> None:
    make_repositories(tmp_path, "tide")

    async def scene(agent: Agent) -> None:
        asked = json.loads(await agent.refused("mem_save", title="A", content="B"))
        assert (asked["error_code"], asked["available_projects"]) == ("ambiguous_project", ["harbor", "tide"])
        chosen = {"project": "tide", "project_choice_reason": "user_selected_after_ambiguous_project"}
        answer = chosen | {"recovery_token": asked["recovery_token"]}
        assert (await agent.read("mem_save", title="A", content="B", **answer))["project"] == "tide"

    on_stdio(scene, directory=str(tmp_path), **place)


def test_an_agent_that_memdock_started_has_no_tools(place: dict[str, str], harbor: str) -> None:
    async def scene(agent: Agent) -> None:
        assert await agent.names() == set()

    on_stdio(scene, directory=harbor, **place, MEMDOCK_DISABLE="1")


def test_says_nothing_but_messages_and_ends_with_its_input(place: dict[str, str], harbor: str) -> None:
    done, said = _converse(
        place, harbor, HELLO, READY, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, "{nonsense"
    )

    assert (done.returncode, [one["id"] for one in said]) == (0, [1, 2])
    first = said[0]["result"]
    assert (first["protocolVersion"], first["serverInfo"]["name"]) == ("2025-06-18", "memdock")
    assert 200 < len(first["instructions"]) < 1_000
    assert "Traceback" not in done.stderr


def test_ends_at_once_without_any_input(place: dict[str, str], harbor: str) -> None:
    done, said = _converse(place, harbor)
    assert (done.returncode, said, done.stderr) == (0, [], "")


def test_an_answer_is_given_although_the_input_has_ended(place: dict[str, str], harbor: str) -> None:
    """What was asked is saved, even by a client that leaves."""
    save = {"name": "mem_save", "arguments": {"title": "Last words", "content": "Kept."}}
    _converse(place, harbor, HELLO, READY, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": save})

    async def scene(agent: Agent) -> None:
        assert (await agent.read("mem_search", query="last words"))["results"]

    on_stdio(scene, directory=harbor, **place)


@pytest.mark.parametrize("option", ["--tools=mem_sav", "--project=a/b", "--port=1"])
def test_bad_usage_is_exit_2(place: dict[str, str], harbor: str, option: str) -> None:
    done = subprocess.run(
        command(option),
        cwd=harbor,
        env=environment(**place),
        input="",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def _converse(
    place: dict[str, str], directory: str, *messages: object
) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
    """Send messages, then end the input; return how the server ended, and every line that it wrote, as JSON."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in messages]
    done = subprocess.run(
        command(),
        cwd=directory,
        env=environment(**place),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return done, [json.loads(line) for line in done.stdout.splitlines()]
