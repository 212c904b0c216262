"""The agent's loop in DSH's plugin, against a real MemDock: what plugins are told and asked, and what enters the loop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.agent_loop import delivery, tools
from memory.models import Capture, Injection, LoopUpdate, Observation, Setting
from memory.plugins.desk import desk
from memory.service.desk import books
from memory.service.registry import plugins
from tests.connect.dsh.conftest import Dsh
from tests.connect.dsh.plugin import NODE, asked
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.service.parts import Plugin

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not NODE, reason="no Node on this machine"),
]

START = ["event", "turn/start", {"turn": 1}]
SAID = asked("Why does the importer skip rows?")
END = ["event", "turn/end", {"turn": 1, "reason": {"kind": "completed"}}]
TURN = [START, SAID, END]
AGENT = {"id": "agent of s1", "status": "running", "options": {"model": "deepseek-flash"}}
STEP = ["step", 1, ["Why does the importer skip rows?"]]
RECALLED = {"kind": "memdock", "plugin": "dsh-patchouli-agent-loop", "form": "recall"}


@pytest.fixture(autouse=True)
def _rested() -> Iterator[None]:
    yield
    for one in (books, desk, delivery.desk):
        one.rest()


@pytest.fixture
def notes() -> Iterator[Plugin]:
    """A plugin of somebody else, in this process's service."""
    plugin = Plugin("notes")
    row = plugins.register(plugin)
    yield plugin
    row.dispose()


def choose(*switches: str, value: object = True) -> None:
    for switch in switches:
        Setting.objects.create(key=f"agent_loop.{switch}", value=value)


def taken() -> list[tuple[str, Any]]:
    return list(LoopUpdate.objects.order_by("pk").values_list("point", "data"))


def results(text: str) -> Any:
    document = json.loads(text)
    assert document["kind"] == "patchouli-memory-results"
    return document["results"]


def header(root: Path, **more: Any) -> dict[str, Any]:
    return {"id": "s1", "cwd": str(root), "createdAt": 1795998176000} | more


def test_a_turn_is_told_whole_as_dsh_stored_it(root: Path, dsh: Dsh) -> None:
    came = dsh(["agent", "agent/created"], asked("Before the turn."), *TURN, ["flush"])

    [(point, data)] = taken()
    assert point == "session/turn-end"
    assert data == {
        "agent": AGENT,
        "session": {"header": header(root, version=4)},
        "event": data["events"][-1],
        "events": data["events"],
    }
    assert [(event["seq"], event["type"]) for event in data["events"]] == [
        (1, "turn/start"),
        (2, "user/message"),
        (3, "turn/end"),
    ]
    assert came.warned == []


def test_every_turn_is_told_once_and_without_the_ones_before(dsh: Dsh) -> None:
    second = ["event", "turn/end", {"turn": 2, "reason": {"kind": "aborted"}}]
    dsh(*TURN, ["flush"], ["event", "turn/start", {"turn": 2}], second, ["flush"])

    assert [[event["seq"] for event in data["events"]] for _, data in taken()] == [[0, 1, 2], [3, 4]]
    metas = [meta["attributes"] for meta in LoopUpdate.objects.order_by("pk").values_list("meta", flat=True)]
    assert [(one["turn"], one["outcome"]) for one in metas] == [(1, "completed"), (2, "aborted")]


def test_before_its_end_nothing_of_a_turn_is_told(dsh: Dsh) -> None:
    dsh(START, SAID, ["flush"])

    assert taken() == []


def test_a_store_that_lags_loses_no_turn(root: Path, dsh: Dsh) -> None:
    dsh(["lag", 1], *TURN, ["flush"])

    [(_, data)] = taken()
    assert [event["type"] for event in data["events"]] == ["turn/start", "user/message", "turn/end"]
    assert data["session"] == {"header": header(root)}


def test_a_turn_keeps_its_place_while_dsh_is_storing_it(dsh: Dsh) -> None:
    choose("store.agent_disposed")

    dsh(["block"], *TURN, ["agent", "agent/disposed"], ["unblock"], ["flush"])

    assert [point for point, _ in taken()] == ["session/turn-end", "agent/disposed"]


def test_the_journal_has_the_turn_once_with_its_transcript(root: Path, dsh: Dsh) -> None:
    dsh(*TURN, ["flush"])

    assert Capture.objects.get().turn == "1"
    assert [point for point, _ in taken()] == ["session/turn-end"]


def test_where_turns_are_off_nothing_is_told_and_later_turns_are_alone(dsh: Dsh) -> None:
    choose("store.turn_end", value=False)

    dsh(*TURN, ["flush"])

    assert taken() == []
    assert Capture.objects.count() == 1


def test_the_optional_points_are_told_in_order_with_all_that_can_be_seen(root: Path, dsh: Dsh) -> None:
    choose(
        "store.agent_created", "store.agent_disposed", "store.request_error", "store.agent_error", "store.tool_result"
    )

    came = dsh(
        ["agent", "agent/created"],
        ["request", {"code": "AUTH", "status": 401}],
        ["agent", "agent/error", {"turn": 1, "step": 2, "error": {"code": "AUTH"}}],
        ["result", "bash", "src"],
        *TURN,
        ["agent", "agent/disposed"],
        ["flush"],
    )

    seen = {"agent": AGENT, "session": {"header": header(root)}}
    told = taken()
    assert [point for point, _ in told] == [
        "agent/created",
        "agent/request-error",
        "agent/error",
        "tools/result",
        "session/turn-end",
        "agent/disposed",
    ]
    assert told[0][1] == told[5][1] == seen
    assert told[1][1] == seen | {"turn": 1, "step": 2, "provider": "p", "failure": {"code": "AUTH", "status": 401}}
    assert told[2][1] == seen | {"turn": 1, "step": 2, "error": {"code": "AUTH"}}
    assert told[3][1]["execution"] == {"name": "bash", "nested": False}
    assert told[3][1]["result"]["content"] == [{"type": "text", "text": "src"}]
    assert came.steps[1] == {"kind": "retry"}


def test_what_is_no_json_becomes_text_and_never_stops_the_loop(dsh: Dsh) -> None:
    choose("store.agent_error")

    came = dsh(["odd"], ["flush"])

    [(_, data)] = taken()
    assert (came.steps[0], came.warned) == (None, [])
    assert (data["error"]["name"], data["error"]["message"]) == ("TypeError", "boom")
    assert data["error"]["stack"].startswith("TypeError: boom\n")
    odd = data["agent"]["options"]
    assert odd["error"] == {"name": "TypeError", "message": "boom", "stack": odd["error"]["stack"]}
    told = {"big": "10", "call": "[function named]", "sign": "Symbol(s)", "not": "NaN", "torn": "[unreadable]"}
    assert odd["around"] == odd["self"] == told
    assert (odd["list"], odd["when"], odd["map"]) == ([None, "Infinity"], "1970-01-01T00:00:00.000Z", {})
    assert (odd["options"], odd["private"]) == ("…", "[REDACTED]")


def test_before_a_step_the_plugins_answer_as_one_message_of_our_own_kind(root: Path, dsh: Dsh, notes: Plugin) -> None:
    came = dsh(STEP, ["step", 2, []], ["rejected"])

    [told], nothing, rejected = came.steps
    assert results(told) == [{"pluginId": "notes", "data": "notes"}]
    assert (nothing, rejected) == ([], {"kind": "reject"})
    [request] = notes.requests
    data: Any = request.data
    assert data["session"] == {"header": header(root)}
    assert (data["turn"], data["step"], len(data["messages"])) == (1, 1, 1)
    assert data["messages"][0]["content"] == [{"type": "text", "text": "Why does the importer skip rows?"}]
    assert request.meta.scope == request.meta.attributes["workspaceRoot"] == str(root)


def test_every_step_asks_where_the_project_wants_that(dsh: Dsh, notes: Plugin) -> None:
    choose("recall.every_step")

    came = dsh(STEP, ["step", 2, []], ["rejected"])

    assert [len(step) for step in came.steps[:2]] == [1, 1]
    assert len(notes.requests) == 2


@pytest.fixture
def remembering(root: Path) -> None:
    body = "- The importer skips rows that are blank: trim_rows drops them"
    make_project(make_tree(root, {"2026-02-03": make_entry_text(session="earlier", body=body)}))


@pytest.mark.parametrize("form", ["text", "json"])
def test_nobody_is_told_the_same_twice(remembering: None, dsh: Dsh, notes: Plugin, form: str) -> None:
    choose("recall.form", value=form)

    [told] = dsh(STEP).steps

    assert sum("trim_rows" in text for text in told) == 1
    document, *more = told
    names = [one["pluginId"] for one in results(document)]
    assert names == (["notes"] if form == "text" else ["journal", "notes"])
    assert [text.startswith("[memsearch] Memory available.") for text in more] == ([True] if form == "text" else [])
    assert Injection.objects.count() == (2 if form == "text" else 1)


def test_the_other_points_put_what_is_known_where_dsh_wants_it(root: Path, dsh: Dsh, notes: Plugin) -> None:
    choose("retrieve.session_start", "retrieve.turn_stopping", "retrieve.tool_post_execute")

    came = dsh(
        ["agent", "agent/created", {"source": "resume"}],
        START,
        ["executed"],
        ["executed", {"agent": None}],
        SAID,
        ["stopping", 1],
        ["injected"],
    )

    by_point = {str(request.meta.attributes["point"]): request for request in notes.requests}
    assert sorted(by_point) == ["agent/session-start", "agent/turn-stopping", "tools/post-execute"]
    assert len(notes.requests) == 3
    seen = {"agent": AGENT, "session": {"header": header(root)}}
    assert by_point["agent/session-start"].data == seen | {"source": "resume"}
    post: Any = by_point["tools/post-execute"].data
    assert post == seen | {
        "execution": {
            "callId": "c1",
            "rootCallId": "c0",
            "name": "bash",
            "arguments": {"command": "ls"},
            "nested": False,
        },
        "result": {"isError": False, "content": [{"type": "text", "text": "src"}]},
        "decision": {"kind": "accept"},
    }
    stopping: Any = by_point["agent/turn-stopping"].data
    assert [event["type"] for event in stopping["session"]["events"]] == ["turn/start", "user/message"]
    [context] = came.steps[2]["additionalContexts"]
    assert context["source"] == RECALLED
    assert came.steps[3] == {"kind": "accept"}
    assert [message["source"] for message in came.steps[6]] == [RECALLED, RECALLED]


def test_without_a_switch_the_other_points_ask_nobody(dsh: Dsh, notes: Plugin) -> None:
    came = dsh(
        ["agent", "agent/created", {"source": "startup"}], ["executed"], ["stopping", 1], ["injected"], ["flush"]
    )

    assert came.steps[1] == {"kind": "accept"}
    assert (came.steps[3], taken(), notes.requests) == ([], [], [])


def test_the_models_tools_answer_with_outcomes_or_say_what_is_wrong(root: Path, dsh: Dsh, notes: Plugin) -> None:
    update = {"messages": [{"role": "assistant", "content": " Rows are trimmed. "}]}

    told, found, wrong, foreign = dsh(
        ["tool", "memory_update", update],
        ["tool", "memory_retrieve", {"query": " rows "}],
        ["tool", "memory_update", {}],
        ["tool", "memory_retrieve", {"query": "rows", "scope": "/elsewhere"}],
    ).steps

    assert {one["pluginId"]: one["ok"] for one in json.loads(told)} == {"observations": True, "notes": True} | {
        one.id: True for one in plugins if one.id == "artifacts"
    }
    assert [one["pluginId"] for one in json.loads(found)][:2] == ["journal", "observations"]
    assert [request.data for request in notes.requests] == [
        {"messages": [{"role": "assistant", "content": "Rows are trimmed."}]},
        {"query": "rows"},
    ]
    assert {request.meta.scope for request in notes.requests} == {str(root)}
    assert Observation.objects.get().content == "Rows are trimmed."
    assert "at least one message or resource is needed" in wrong["error"]
    assert foreign["error"].startswith("arguments.scope: ")


def _bare(value: Any) -> Any:
    """Leave out what explains a schema to a model."""
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if key != "description"}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def test_dsh_is_told_the_arguments_that_memdock_takes(dsh: Dsh) -> None:
    (found,) = dsh(["registered"]).steps

    given = {tool["name"]: _bare(tool["parameters"]) for tool in found["tools"]}
    assert {name: given[name] for name in tools.SCHEMAS} == tools.SCHEMAS


def test_without_the_loop_there_is_nothing_of_it(dsh: Dsh, notes: Plugin) -> None:
    came = dsh(["registered"], STEP, *TURN, ["flush"], config={"loop": False})

    assert not {tool["name"] for tool in came.steps[0]["tools"]} & set(tools.SCHEMAS)
    assert (came.steps[1], taken(), notes.requests) == ([], [], [])


def test_at_its_end_the_plugin_lets_arrive_what_was_admitted_and_takes_nothing_new(dsh: Dsh) -> None:
    choose("store.agent_created", "store.agent_disposed")

    dsh(["agent", "agent/created"], ["end"], ["agent", "agent/disposed"], *TURN, ["flush"])

    assert [point for point, _ in taken()] == ["agent/created"]
