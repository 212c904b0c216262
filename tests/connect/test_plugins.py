"""The plugins of OpenCode and OpenClaw in a real Node, against a server: what they tell, send and survive."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.capture import document
from memory.capture.accept import Accepted, accept
from memory.connect import own_files
from memory.models import Capture
from tests.makers import make_project, make_tree
from tests.places import ROOT
from tests.run.hook_server import HookServer, serving
from tests.servers import free_port
from tests.waiting import DEADLINE

pytestmark = pytest.mark.django_db(transaction=True)

HERE = Path(__file__).parent
NODE = shutil.which("node") or ""
QUESTION = "why does the importer skip rows?"


@pytest.fixture
def server() -> Iterator[HookServer]:
    if not NODE:
        pytest.skip("no Node on this machine")
    with serving() as server:
        yield server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor"))
    return tmp_path / "harbor"


def drive(script: str, *arguments: str, steps: list[Any], **variables: str) -> Any:
    """Run steps in the plugin; return what came of each."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMDOCK_")}
    done = subprocess.run(
        [NODE, str(HERE / script), *arguments],
        input=json.dumps(steps),
        env=environment | {"MEMDOCK_TOKEN": "mdk_w_token"} | variables,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def opencode(root: Path, steps: list[Any], **variables: str) -> Any:
    return drive(
        "drive_opencode.mjs", str(own_files.HERE / "opencode" / "memdock.js"), str(root), steps=steps, **variables
    )


def openclaw(steps: list[Any], **variables: str) -> Any:
    return drive("drive_openclaw.mjs", str(own_files.HERE / "openclaw" / "index.js"), steps=steps, **variables)


def asked(session: str = "ses_1", *, ident: str = "msg_1", text: str = QUESTION) -> dict[str, Any]:
    info = {"id": ident, "sessionID": session, "role": "user", "time": {"created": 1795998176000}}
    return {"info": info, "parts": [{"type": "text", "text": text}]}


def answered(parent: str = "msg_1", *, ident: str = "msg_2", text: str = "It trims them.") -> dict[str, Any]:
    time = {"created": 1795998177000, "completed": 1795998178000}
    info = {"id": ident, "sessionID": "ses_1", "role": "assistant", "parentID": parent, "time": time, "finish": "stop"}
    state = {"status": "completed", "input": {"command": "pytest -x"}, "output": "3 passed", "metadata": {"exit": 0}}
    tool = {"type": "tool", "callID": "c1", "tool": "bash", "state": state}
    return {"info": info, "parts": [tool, {"type": "text", "text": text}]}


IDLE = ["event", {"event": {"type": "session.idle", "properties": {"sessionID": "ses_1"}}}]
TRANSFORM = "experimental.chat.messages.transform"


def deliveries(server: HookServer) -> list[Any]:
    return [body for _, path, body in server.asked if path.endswith("/events")]


def take(body: Any) -> Accepted:
    return accept(document.parse(body), at=timezone.now())


def test_opencode_is_told_beside_the_question_and_not_in_it(server: HookServer, root: Path) -> None:
    server.recall, server.inbox = "It trims them.", [{"id": 7, "text": "Review a skill."}]
    message = asked(text=f'"{QUESTION}"')  # as `opencode run` has it
    output = {"message": message["info"], "parts": message["parts"]}

    seen = opencode(
        root,
        [["chat.message", {"sessionID": "ses_1"}, output], [TRANSFORM, {}, {"messages": [message, answered()]}]],
        MEMDOCK_URL=server.url,
    )

    assert seen[1] == output
    told = seen[2]["messages"][0]["parts"][-1]
    assert told["synthetic"] is True
    assert (
        told["text"] == "<memdock-context>\nIt trims them.\n\n[memdock message 7] Review a skill.\n</memdock-context>"
    )
    assert "/agent-inbox/7/ack" in server.paths()
    recall = next(body for _, path, body in server.asked if path.endswith("/recall"))
    assert recall == {"session": "ses_1", "cwd": str(root), "query": QUESTION}


def test_a_turn_of_opencode_is_captured_once(server: HookServer, root: Path) -> None:
    steps = [["stored", {"ses_1": [asked(text=f'"{QUESTION}"'), answered()]}], IDLE, IDLE]

    opencode(root, steps, MEMDOCK_URL=server.url)

    first, second = deliveries(server)
    assert first["session"] == {"id": "ses_1", "cwd": str(root)}
    assert [taken.state for body in (first, second) for taken in take(body).captures] == ["queued", "captured"]
    capture = Capture.objects.get()
    assert (capture.turn, capture.question, capture.platform) == ("msg_1", QUESTION, "opencode")
    assert "[Tool call]: bash" in capture.rendered
    assert "[Assistant]: It trims them." in capture.rendered


def test_opencode_sends_what_a_server_that_was_away_lacks(server: HookServer, root: Path) -> None:
    server.events_status = 503
    more = [asked(ident="msg_3", text="and what about the tide table?"), answered("msg_3", ident="msg_4")]
    steps = [
        ["stored", {"ses_1": [asked(), answered()]}],
        IDLE,
        ["stored", {"ses_1": [asked(), answered(), *more]}],
        IDLE,
    ]

    opencode(root, steps, MEMDOCK_URL=server.url)

    assert [taken.turn for taken in take(deliveries(server)[-1]).captures] == ["msg_1", "msg_3"]


def test_a_child_session_of_opencode_is_a_sub_agent_and_is_told_nothing(server: HookServer, root: Path) -> None:
    created = {"sessionID": "ses_1", "info": {"id": "ses_1", "parentID": "ses_0"}}
    message = asked()
    steps = [
        ["event", {"event": {"type": "session.created", "properties": created}}],
        ["chat.message", {"sessionID": "ses_1"}, {"message": message["info"], "parts": message["parts"]}],
        ["stored", {"ses_1": [message, answered()]}],
        IDLE,
    ]

    opencode(root, steps, MEMDOCK_URL=server.url)

    (body,) = deliveries(server)
    assert body["session"] == {"id": "ses_1", "cwd": str(root), "parent_session": "ses_0", "origin": "subagent"}
    assert server.paths() == ["/events"]
    assert [taken.state for taken in take(body).captures] == ["skipped"]


def test_a_deleted_session_of_opencode_has_ended(server: HookServer, root: Path) -> None:
    deleted = {"type": "session.deleted", "properties": {"info": {"id": "ses_1"}}}

    opencode(root, [["event", {"event": deleted}], ["dispose", None]], MEMDOCK_URL=server.url)

    assert [body["final"] for body in deliveries(server)] == [True]


def test_private_blocks_do_not_leave_opencode(server: HookServer, root: Path) -> None:
    said = "a </private> the importer <private>a <private>pass</private> word</private> is slow <private>to the end"

    opencode(root, [["stored", {"ses_1": [asked(text=said), answered()]}], IDLE], MEMDOCK_URL=server.url)

    (body,) = deliveries(server)
    text = body["events"][0]["parts"][0]["text"]
    assert text == "a </private> the importer [REDACTED] is slow [REDACTED]"


@pytest.mark.parametrize("variables", [{}, {"MEMDOCK_DISABLE": "1"}])
def test_without_a_server_the_turn_of_opencode_goes_on(
    server: HookServer, root: Path, variables: dict[str, str]
) -> None:
    message = asked()
    steps = [
        ["chat.message", {"sessionID": "ses_1"}, {"message": message["info"], "parts": message["parts"]}],
        [TRANSFORM, {}, {"messages": [message]}],
        ["stored", {"ses_1": [message, answered()]}],
        IDLE,
        [TRANSFORM, {}, {}],
        ["chat.message", None, None],
        ["event", {}],
        ["dispose", None],
    ]

    seen = opencode(root, steps, MEMDOCK_URL=f"http://127.0.0.1:{free_port()}", **variables)

    assert seen[2] == {"messages": [message]}
    assert bool(seen[0]) is not bool(variables)


def test_a_slow_server_costs_opencode_a_moment_only(server: HookServer, root: Path) -> None:
    server.may_answer.clear()
    message = asked()
    steps = [
        ["chat.message", {"sessionID": "ses_1"}, {"message": message["info"], "parts": message["parts"]}],
        [TRANSFORM, {}, {"messages": [message]}],
    ]

    assert opencode(root, steps, MEMDOCK_URL=server.url)[2] == {"messages": [message]}


CONTEXT = {"agentId": "main", "sessionId": "s-1", "sessionKey": "agent:main:main", "runId": "run-1"}


def ended(root: Path, *messages: dict[str, Any], **over: Any) -> list[Any]:
    return [
        "agent_end",
        {"messages": list(messages), "success": True, "durationMs": 5} | over,
        CONTEXT | {"workspaceDir": str(root)},
    ]


def test_openclaw_is_told_what_answers_the_persons_own_words(server: HookServer, root: Path) -> None:
    server.recall, server.inbox = "It trims them.", [{"id": 7, "text": "Review a skill."}]
    prompt = (
        f'Conversation info (untrusted metadata):\n```json\n{{"id": 1}}\n```\n[Mon 2026-11-30 09:12 UTC] {QUESTION}'
    )
    context = CONTEXT | {"workspaceDir": str(root)}

    report = openclaw([["before_prompt_build", {"prompt": prompt, "messages": []}, context]], MEMDOCK_URL=server.url)

    assert report["seen"][1] == {
        "appendContext": "<memdock-context>\nIt trims them.\n\n[memdock message 7] Review a skill.\n</memdock-context>"
    }
    assert "/agent-inbox/7/ack" in server.paths()
    recall = next(body for _, path, body in server.asked if path.endswith("/recall"))
    assert recall == {"session": "s-1", "cwd": str(root), "query": QUESTION}


def test_the_last_turn_of_openclaw_is_captured_once(server: HookServer, root: Path) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "pytest -x"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "an earlier question, long ago"},
        {"role": "assistant", "content": [{"type": "text", "text": "Earlier."}]},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}], "timestamp": 1795998176000},
        {"role": "assistant", "content": [call], "stopReason": "toolUse"},
        {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": "3 passed"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "It trims them."}], "stopReason": "stop"},
    ]

    openclaw([ended(root, *messages), ended(root, *messages)], MEMDOCK_URL=server.url)

    first, second = deliveries(server)
    assert first["transcript"].endswith(".openclaw/agents/main/sessions/s-1.jsonl")
    assert [taken.state for body in (first, second) for taken in take(body).captures] == ["queued", "captured"]
    capture = Capture.objects.get()
    assert (capture.turn, capture.question, capture.platform) == ("run-1", QUESTION, "openclaw")
    assert "[Tool call]: exec" in capture.rendered
    assert "[Assistant]: It trims them." in capture.rendered
    assert "Earlier." not in capture.rendered


def test_without_a_server_openclaw_goes_on_and_says_so_in_its_log(server: HookServer, root: Path) -> None:
    steps = [
        ["before_prompt_build", {"prompt": QUESTION, "messages": []}, CONTEXT],
        ended(root, {"role": "user", "content": QUESTION}),
        ["session_end", {}, CONTEXT],
        ["agent_end", {}, {}],
        ["before_prompt_build", {}, {}],
    ]

    report = openclaw(steps, MEMDOCK_URL=f"http://127.0.0.1:{free_port()}")

    assert report["seen"][1:] == [{}, None, None, None, {}]
    assert any("not captured" in line for line in report["warned"])


def test_a_disabled_openclaw_hears_nothing(server: HookServer) -> None:
    assert openclaw([], MEMDOCK_DISABLE="1") == {"seen": [[]], "warned": []}


def test_plugins_that_carry_a_copy_speak_to_memdock_alike() -> None:
    # An agent links or copies one folder, so that each plugin has to be whole by itself.
    connectors = ROOT / "memory" / "connect"

    assert (connectors / "dsh" / "server.js").read_text() == (connectors / "openclaw" / "server.js").read_text()
