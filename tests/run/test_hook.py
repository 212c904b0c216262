"""`memdock hook` as an agent runs it: a process that hands over, answers and is gone, whatever happens."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.transcripts import redaction
from memsite import hook
from tests.run.hook_server import HookServer, serving
from tests.servers import free_port
from tests.waiting import DEADLINE, wait_until

SESSION = "9c1e7a52-0000-4000-8000-000000000001"
PROMPT = "why does the importer skip rows?"

EVENTS: dict[str, dict[str, dict[str, Any]]] = {
    "claude-code": {
        "SessionStart": {"source": "startup", "model": "claude-x"},
        "UserPromptSubmit": {"prompt_id": "6f0c", "permission_mode": "default", "prompt": PROMPT},
        "Stop": {"prompt_id": "6f0c", "stop_hook_active": False, "last_assistant_message": "It trims them."},
        "StopFailure": {"error": "server_error", "last_assistant_message": "API Error: …"},
        "SubagentStop": {
            "agent_id": "a13d",
            "agent_type": "Explore",
            "agent_transcript_path": "/home/u/.claude/projects/-shop/9c/subagents/agent-a13d.jsonl",
            "last_assistant_message": "Found three …",
        },
        "PreCompact": {"trigger": "auto", "custom_instructions": None},
        "PostCompact": {"trigger": "auto", "compact_summary": "1. Primary request …"},
        "SessionEnd": {"reason": "other"},
    },
    "codex": {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"turn_id": "01a2", "prompt": PROMPT},
        "Stop": {"turn_id": "01a2", "stop_hook_active": False, "last_assistant_message": None},
        "SubagentStop": {"turn_id": "01a2", "agent_id": "b1", "agent_type": "worker"},
        "PreCompact": {"turn_id": "01a2", "trigger": "manual"},
        "PostCompact": {"turn_id": "01a2", "trigger": "manual"},
        "SessionEnd": {"reason": "other"},
    },
}
ALL = [(platform, event) for platform, events in EVENTS.items() for event in events]
TOLD = [one for one in ALL if one[1] in {"SessionStart", "UserPromptSubmit"}]
NOT_TOLD = [one for one in ALL if one not in TOLD]


@dataclass
class Agent:
    """An agent that runs hooks in a project, with MemDock's data elsewhere."""

    project: Path
    data: Path
    environment: dict[str, str] = field(default_factory=dict)

    def given(self, platform: str, event: str, **over: Any) -> dict[str, Any]:
        common = {
            "session_id": SESSION,
            "transcript_path": str(self.project / "t.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": event,
        }
        return common | EVENTS[platform][event] | over

    def run(self, platform: str, event: str, given: bytes, *arguments: str, **variables: str) -> dict[str, Any]:
        """Run a hook to its end; return what it printed, which is always one JSON object and nothing else."""
        command = [sys.executable, "-m", "memsite.cli", "hook", platform, event, *arguments]
        done = subprocess.run(
            command,
            input=given,
            env=self._variables(variables),
            cwd=self.project,
            capture_output=True,
            timeout=DEADLINE,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.endswith(b"\n") and done.stdout.count(b"\n") == 1
        printed: dict[str, Any] = json.loads(done.stdout)
        return printed

    def fire(self, platform: str, event: str, **over: Any) -> dict[str, Any]:
        return self.run(platform, event, json.dumps(self.given(platform, event, **over)).encode())

    def _variables(self, over: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMDOCK_", "CLAUDE_"))}
        return kept | {"MEMDOCK_DATA_DIR": str(self.data)} | self.environment | over

    def spool(self) -> list[Path]:
        return sorted((self.data / "spool").glob("*"))

    def kept(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in self.spool()]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """Return an agent whose MemDock is away."""
    (tmp_path / "harbor").mkdir()
    away = {"MEMDOCK_URL": f"http://127.0.0.1:{free_port()}"}
    return Agent(tmp_path / "harbor", tmp_path / "data", away)


@pytest.fixture
def server(agent: Agent) -> Iterator[HookServer]:
    """Return the server that the agent's hooks find."""
    with serving() as server:
        agent.environment["MEMDOCK_URL"] = server.url
        agent.data.mkdir(mode=0o700)
        (agent.data / "hook-token").write_text("mdk_w_token\n")
        yield server


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


@pytest.mark.parametrize(("platform", "event"), TOLD)
def test_what_the_server_tells_is_printed_as_the_agent_understands_it(
    agent: Agent, server: HookServer, platform: str, event: str
) -> None:
    server.recall, server.inbox = "The importer trims: ä €.", [{"id": 7, "text": "Review a skill.", "about": ""}]

    printed = agent.fire(platform, event)

    text = "The importer trims: ä €.\n\n[memdock message 7] Review a skill."
    context = f"<memdock-context>\n{text}\n</memdock-context>"
    assert printed == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
    assert server.paths() == ["/recall", "/agent-inbox", "/agent-inbox/7/ack", "/events"]
    assert server.asked[0][2] == {
        "session": SESSION,
        "cwd": str(agent.project),
        "query": PROMPT if event == "UserPromptSubmit" else "",
    }
    assert set(server.tokens) == {"Bearer mdk_w_token"}
    assert agent.spool() == []


@pytest.mark.parametrize(("platform", "event"), NOT_TOLD)
def test_at_other_events_nothing_is_printed(agent: Agent, server: HookServer, platform: str, event: str) -> None:
    server.recall = "Never at the end of a turn."

    assert agent.fire(platform, event) == {}
    assert server.paths() == ["/events"]


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
def test_an_agent_that_summarizes_is_left_alone(agent: Agent, server: HookServer, variables: dict[str, str]) -> None:
    given = json.dumps(agent.given("claude-code", "UserPromptSubmit")).encode()

    assert agent.run("claude-code", "UserPromptSubmit", given, **variables) == {}
    assert (agent.spool(), server.asked) == ([], [])


def test_an_agent_in_memdocks_own_directory_is_left_alone(agent: Agent) -> None:
    (agent.data / "summarize").mkdir(parents=True)

    agent.fire("claude-code", "Stop", cwd=str(agent.data / "summarize"))

    assert agent.spool() == []


def test_disabled_by_0_is_not_disabled(agent: Agent) -> None:
    given = json.dumps(agent.given("codex", "Stop")).encode()

    agent.run("codex", "Stop", given, MEMDOCK_DISABLE="0")

    assert len(agent.spool()) == 1


def test_private_blocks_leave_neither_for_the_spool_nor_for_the_server(agent: Agent, server: HookServer) -> None:
    server.events_status = 503
    said = "the importer <private>a <PRIVATE>pass</private> word</private> is slow <private>secret to the end"

    agent.fire("claude-code", "UserPromptSubmit", prompt=said, **{"<private>key</private>": 1})

    (document,) = agent.kept()
    assert document["events"][0]["prompt"] == "the importer [REDACTED] is slow [REDACTED]"
    assert server.asked[0][2]["query"] == "the importer [REDACTED] is slow [REDACTED]"
    assert "key" not in json.dumps(server.asked) and "secret" not in agent.spool()[0].read_text()


@given(st.lists(st.sampled_from(["<private>", "</private>", "<Private x='1'>", "a ", "<b>", "ä\n"]), max_size=12))
def test_hook_and_server_cut_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert hook._redacted(text) == redaction.clean(text)


@pytest.mark.parametrize("prompt", ["short", "/compact everything"])
def test_what_is_no_question_is_not_looked_up(agent: Agent, server: HookServer, prompt: str) -> None:
    agent.fire("codex", "UserPromptSubmit", prompt=prompt)

    assert server.paths() == ["/agent-inbox", "/events"]


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_conversation_that_goes_on_is_told_nothing_again(agent: Agent, server: HookServer, source: str) -> None:
    server.recall = "It has this already."

    assert agent.fire("claude-code", "SessionStart", source=source) == {}
    assert server.paths() == ["/events"]


def test_a_long_question_and_a_long_answer_are_cut(agent: Agent, server: HookServer) -> None:
    server.recall = "x" * 20_000

    printed = agent.fire("codex", "UserPromptSubmit", prompt="why " * 2000)

    assert len(server.asked[0][2]["query"]) == 2000
    assert len(printed["hookSpecificOutput"]["additionalContext"]) < 10_000


def test_a_server_that_does_not_answer_is_not_waited_for(agent: Agent, server: HookServer) -> None:
    server.may_answer.clear()

    assert agent.fire("claude-code", "UserPromptSubmit") == {}

    assert len(agent.spool()) == 1
    assert "/agent-inbox" not in server.paths()


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_what_the_server_does_not_take_is_kept(agent: Agent, server: HookServer, status: int) -> None:
    server.events_status = status

    agent.fire("codex", "Stop")

    assert len(agent.spool()) == 1


def test_what_waited_is_delivered_first_and_in_order(agent: Agent, server: HookServer) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    for event in ("SessionStart", "UserPromptSubmit"):
        given = json.dumps(agent.given("codex", event)).encode()
        agent.run("codex", event, given, MEMDOCK_URL=away)

    agent.fire("codex", "Stop")

    delivered = [body["events"][0]["hook_event_name"] for _, path, body in server.asked if path.endswith("/events")]
    assert delivered == ["SessionStart", "UserPromptSubmit", "Stop"]
    assert agent.spool() == []


def test_a_document_that_is_never_taken_holds_nobody_up(agent: Agent, server: HookServer) -> None:
    server.events_status = 422
    agent.fire("codex", "UserPromptSubmit")
    server.asked.clear()

    agent.fire("codex", "Stop")

    assert server.paths() == ["/events", "/events"]


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


def test_without_room_for_the_spool_the_agent_goes_on_and_is_told(agent: Agent, server: HookServer) -> None:
    (agent.data / "spool").write_text("in the way")
    server.recall = "Told all the same."
    given = json.dumps(agent.given("codex", "UserPromptSubmit")).encode()
    command = [sys.executable, "-m", "memsite.cli", "hook", "codex", "UserPromptSubmit"]

    done = subprocess.run(command, input=given, env=agent._variables({}), capture_output=True, timeout=DEADLINE)

    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)
    assert b"Told all the same." in done.stdout


@pytest.mark.parametrize("arguments", [[], ["claude-code"], ["", ""], ["nobody", "Nothing"]])
def test_odd_arguments_are_no_failure(agent: Agent, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "memsite.cli", "hook", *arguments]

    done = subprocess.run(command, input=b"{}", env=agent._variables({}), capture_output=True, timeout=DEADLINE)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


def test_starts_without_django() -> None:
    script = (
        "import sys; from memsite import cli; print(sorted(set(sys.modules) & {'django', 'asyncio', 'http.client'}))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
