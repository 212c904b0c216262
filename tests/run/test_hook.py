"""`memdock hook` as an agent runs it: a process that hands over, answers and is gone, whatever happens."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.hook_agent import ALL, SESSION, Agent
from tests.run.hook_server import HookServer
from tests.servers import free_port
from tests.waiting import DEADLINE, wait_until


@pytest.mark.parametrize(("platform", "event"), ALL)
def test_while_the_server_is_away_the_event_is_kept_for_its_owner(agent: Agent, platform: str, event: str) -> None:
    assert agent.fire(platform, event) == {}

    (path,) = agent.spool()
    document = json.loads(path.read_text())
    assert document["platform"] == platform
    assert document["events"] == [agent.given(platform, event)]
    assert document["final"] is (event == "SessionEnd")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (agent.data, path.parent)} == {0o700}


@pytest.mark.parametrize(("platform", "event"), [("claude-code", "Stop"), ("codex", "UserPromptSubmit")])
@pytest.mark.parametrize("given", [b"", b"{", b'{"session_id": "s', b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_input_that_is_no_event_is_answered_with_nothing(agent: Agent, platform: str, event: str, given: bytes) -> None:
    assert agent.run(platform, event, given) == {}
    assert agent.spool() == []


def test_input_that_never_ends_is_read_up_to_its_object(agent: Agent) -> None:
    command = [sys.executable, "-m", "memsite.cli", "hook", "claude-code", "Stop"]
    variables = os.environ | {"MEMDOCK_DATA_DIR": str(agent.data)} | agent.environment
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables) as process:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(agent.given("claude-code", "Stop")).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(DEADLINE) == 0  # while its input is still open
        assert process.stdout.read() == b"{}\n"
    assert len(agent.spool()) == 1


def test_input_of_half_an_object_that_never_ends_is_given_up(agent: Agent) -> None:
    command = [sys.executable, "-m", "memsite.cli", "hook", "codex", "Stop"]
    variables = os.environ | {"MEMDOCK_DATA_DIR": str(agent.data)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b'{"session_id": {}')
        process.stdin.flush()
        assert process.wait(DEADLINE) == 0
        assert process.stdout.read() == b"{}\n"


def test_a_byte_order_mark_and_large_input_are_no_trouble(agent: Agent) -> None:
    given = agent.given("claude-code", "Stop", last_assistant_message="}" * 3_000_000)

    agent.run("claude-code", "Stop", b"\xef\xbb\xbf" + json.dumps(given).encode())

    assert agent.kept()[0]["events"] == [given]


@pytest.mark.parametrize(
    "variables",
    [
        {"MEMDOCK_DISABLE": "1"},
        {"MEMSEARCH_DISABLE": "1"},
        {"MEMSEARCH_NO_WATCH": "1"},
        {"MEMSEARCH_IN_STOP_WORKER": ""},
        {"MEMSEARCH_DSH_SUMMARIZE": "1"},
    ],
)
def test_an_agent_that_summarizes_is_left_alone(
    agent: Agent, hook_server: HookServer, variables: dict[str, str]
) -> None:
    given = json.dumps(agent.given("claude-code", "UserPromptSubmit")).encode()

    assert agent.run("claude-code", "UserPromptSubmit", given, **variables) == {}
    assert (agent.spool(), hook_server.asked) == ([], [])


def test_an_agent_in_memdocks_own_directory_is_left_alone(agent: Agent) -> None:
    (agent.data / "summarize").mkdir(parents=True)

    agent.fire("claude-code", "Stop", cwd=str(agent.data / "summarize"))

    assert agent.spool() == []


def test_disabled_by_0_is_not_disabled(agent: Agent) -> None:
    given = json.dumps(agent.given("codex", "Stop")).encode()

    agent.run("codex", "Stop", given, MEMDOCK_DISABLE="0")

    assert len(agent.spool()) == 1


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_what_the_server_does_not_take_is_kept(agent: Agent, hook_server: HookServer, status: int) -> None:
    hook_server.events_status = status

    agent.fire("codex", "Stop")

    assert len(agent.spool()) == 1


def test_what_waited_is_delivered_first_and_in_order(agent: Agent, hook_server: HookServer) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    for event in ("SessionStart", "UserPromptSubmit"):
        given = json.dumps(agent.given("codex", event)).encode()
        agent.run("codex", event, given, MEMDOCK_URL=away)

    agent.fire("codex", "Stop")

    delivered = [
        body["events"][0]["hook_event_name"] for _, path, body in hook_server.asked if path.endswith("/events")
    ]
    assert delivered == ["SessionStart", "UserPromptSubmit", "Stop"]
    assert agent.spool() == []


def test_a_refusal_that_may_have_other_reasons_holds_nobody_up(agent: Agent, hook_server: HookServer) -> None:
    hook_server.events_status = 400
    agent.fire("codex", "UserPromptSubmit")
    hook_server.asked.clear()

    agent.fire("codex", "Stop")

    assert hook_server.paths() == ["/events", "/events"]
    assert len(agent.spool()) == 2


@pytest.mark.parametrize("status", [413, 422])
def test_a_document_that_is_never_taken_is_laid_aside(agent: Agent, hook_server: HookServer, status: int) -> None:
    hook_server.events_status = status

    agent.fire("codex", "Stop")

    assert agent.spool() == []
    (path,) = (agent.data / "spool-refused").iterdir()
    assert json.loads(path.read_text())["events"] == [agent.given("codex", "Stop")]
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("wait", ["", "0", "-1", "nan", "soon"])
def test_a_wait_that_is_none_is_the_usual_one(agent: Agent, hook_server: HookServer, wait: str) -> None:
    hook_server.may_answer.clear()
    given = json.dumps(agent.given("codex", "Stop")).encode()

    assert agent.run("codex", "Stop", given, MEMDOCK_HOOK_WAIT=wait) == {}
    wait_until(lambda: hook_server.paths() == ["/events"])
    assert len(agent.spool()) == 1


def test_a_sub_agent_is_a_session_of_its_own(agent: Agent) -> None:
    agent.fire("claude-code", "SubagentStop")

    (document,) = agent.kept()
    assert document["session"] == {
        "id": f"{SESSION}/a13d",
        "cwd": str(agent.project),
        "parent_session": SESSION,
        "origin": "subagent",
    }
    assert document["transcript"].endswith("agent-a13d.jsonl")


def test_the_helper_that_compacts_is_nobody(agent: Agent) -> None:
    agent.fire("claude-code", "SubagentStop", agent_type="")

    assert agent.spool() == []


def test_a_session_that_goes_on_elsewhere_has_not_ended(agent: Agent) -> None:
    agent.fire("claude-code", "SessionEnd", reason="resume")

    assert agent.kept()[0]["final"] is False


def test_the_project_is_where_claude_code_was_started(agent: Agent, tmp_path: Path) -> None:
    variables = {"CLAUDE_PROJECT_DIR": str(tmp_path / "root")}
    for platform in ("claude-code", "codex"):  # which may run inside of it
        given = json.dumps(agent.given(platform, "Stop")).encode()
        agent.run(platform, "Stop", given, **variables)

    assert [one["session"]["cwd"] for one in agent.kept()] == [str(tmp_path / "root"), str(agent.project)]


def test_notify_of_codex_is_an_argument_and_the_persons_own_command_runs_before(agent: Agent, tmp_path: Path) -> None:
    event = {"type": "agent-turn-complete", "thread-id": SESSION, "turn-id": "01a2", "cwd": str(agent.project)}
    theirs = tmp_path / "theirs"
    theirs.write_text(
        f'#!/bin/sh\nprintf "%s|%s|%s" "$1" "$2" "$3" > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/log\n'
    )
    theirs.chmod(0o755)

    agent.run("codex", "notify", b"", "--then", str(theirs), "an argument", "", json.dumps(event))

    assert agent.kept()[0]["events"] == [event]
    wait_until((tmp_path / "log").exists)
    assert (tmp_path / "log").read_text() == f"an argument||{json.dumps(event)}"


def test_notify_without_the_persons_command_still_captures(agent: Agent) -> None:
    event = json.dumps({"type": "agent-turn-complete", "thread-id": SESSION, "turn-id": "01a2"})

    agent.run("codex", "notify", b"", "--then", "/no/such/command", event)

    assert len(agent.spool()) == 1


def test_without_room_for_the_spool_the_agent_goes_on_and_is_told(agent: Agent, hook_server: HookServer) -> None:
    (agent.data / "spool").write_text("in the way")
    hook_server.recall = "Told all the same."
    given = json.dumps(agent.given("codex", "UserPromptSubmit")).encode()
    command = [sys.executable, "-m", "memsite.cli", "hook", "codex", "UserPromptSubmit"]

    done = subprocess.run(command, input=given, env=agent.variables(), capture_output=True, timeout=DEADLINE)

    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
    assert b"Told all the same." in done.stdout


@pytest.mark.parametrize("arguments", [[], ["claude-code"], ["", ""], ["nobody", "Nothing"]])
def test_odd_arguments_are_no_failure(agent: Agent, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "memsite.cli", "hook", *arguments]

    done = subprocess.run(command, input=b"{}", env=agent.variables(), capture_output=True, timeout=DEADLINE)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


def test_starts_without_django() -> None:
    script = (
        "import sys; from memsite import cli; print(sorted(set(sys.modules) & {'django', 'asyncio', 'http.client'}))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
