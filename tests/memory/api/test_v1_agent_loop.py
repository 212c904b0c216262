"""The doors of an agent's loop: its policy, what is told and asked there, and the tools of the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from memory.agent_loop import points
from memory.models import LoopUpdate, Observation, Project
from memory.models.token import Scope
from memory.service.registry import plugins
from tests.memory.agent_loop.conftest import _rested, harbor
from tests.memory.agent_loop.seen import CWD, HEADER, SAID, choose, data, step, turn
from tests.memory.api.callers import ROOT, Response, make_program, read, refused
from tests.memory.service.parts import Plugin

__all__ = ["_rested", "harbor"]  # fixtures, used by name

pytestmark = pytest.mark.django_db(transaction=True)

WHOSE = {"id": "s1", "cwd": str(CWD)}


@pytest.fixture
def program(harbor: Project) -> Client:
    return make_program(Scope.WRITE)


@pytest.fixture
def notes() -> Iterator[Plugin]:
    """A plugin of somebody else, in this process's service."""
    plugin = Plugin("notes")
    row = plugins.register(plugin)
    yield plugin
    row.dispose()


def post(program: Client, path: str, body: Any) -> Response:
    return program.post(f"{ROOT}/agent-loop/{path}", body, content_type="application/json")


def tell(program: Client, point: str, seen: Any, **more: Any) -> Response:
    return post(program, "updates", {"point": point, "data": seen} | more)


def test_a_policy_says_what_is_switched_on_and_what_comes_next(program: Client, harbor: Project) -> None:
    choose("store.tool_result", True, harbor)
    tell(program, "session/turn-end", turn())

    here = read(program, "/agent-loop/policy", session="s1", cwd=CWD / "src")
    elsewhere = read(program, "/agent-loop/policy", session="s2")

    assert here["store"] == elsewhere["store"] | {"toolResult": True}
    assert elsewhere == {
        "retrieve": {"sessionStart": False, "preStep": True, "turnStopping": False, "toolPostExecute": False},
        "store": dict.fromkeys(["agentCreated", "agentDisposed", "requestError", "agentError", "toolResult"], False)
        | {"turnEnd": True},
        "modelTools": {"retrieve": True, "update": True},
        "recall": {"form": "text", "everyStep": False, "budget": 6000},
        "nextSeq": 0,
    }
    assert here["nextSeq"] == 4
    assert refused(program.get(f"{ROOT}/agent-loop/policy?session=%20"), 422, field="session.id")


def test_an_update_is_durable_when_it_is_answered_and_the_same_one_is_known(program: Client) -> None:
    first, again = (tell(program, "session/turn-end", turn()) for _ in range(2))

    assert (first.status_code, first.json()) == (202, {"state": "queued"})
    assert (again.status_code, again.json()) == (200, {"state": "known"})
    row = LoopUpdate.objects.get()
    assert (row.session_key, row.data) == ("s1", turn())


def test_what_is_switched_off_is_not_taken(program: Client, harbor: Project) -> None:
    off = tell(program, "agent/created", data(), requestId="r1")
    choose("store.agent_created", True, harbor)
    on = tell(program, "agent/created", data(), requestId="r1")

    assert (off.json(), on.json()) == ({"state": "off"}, {"state": "queued"})


def test_what_cannot_be_taken_is_refused_by_its_field(program: Client, harbor: Project) -> None:
    choose("store.agent_created", True, harbor)
    broken = turn()
    del broken["events"][1]

    refused(tell(program, "session/turn-end", broken), 422, field="data.events")
    refused(tell(program, "agent/created", data()), 422, field="requestId")
    refused(tell(program, "agent/pre-step", step(SAID)), 422, field="point")
    refused(post(program, "retrieve", {"point": "session/turn-end", "data": turn()}), 422, field="point")
    refused(tell(program, "agent/created", data(HEADER | {"id": None})), 422, field="session.id")
    assert not LoopUpdate.objects.exists()


def test_too_large_a_turn_is_refused(program: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory.api.v1 import bodies

    assert points.LARGEST in bodies._LARGER.values()
    monkeypatch.setitem(bodies._LARGER, "/api/v1/agent-loop/updates", 1000)
    told = turn()
    told["events"][2]["data"]["message"]["content"][0]["text"] = "x" * 1000

    refused(tell(program, "session/turn-end", told), 413)


def test_the_plugins_are_asked_before_a_step(program: Client, notes: Plugin) -> None:
    answer = post(program, "retrieve", {"point": "agent/pre-step", "data": step(SAID)}).json()
    nothing = post(program, "retrieve", {"point": "agent/pre-step", "data": step()}).json()

    [request] = notes.requests
    assert request.data == step(SAID)
    assert answer["reason"] == ""
    assert json.loads(answer["message"]["content"][0]["text"]) == {
        "kind": "patchouli-memory-results",
        "point": "agent/pre-step",
        "results": [{"pluginId": "notes", "data": "notes"}],
    }
    assert answer["message"]["source"] == {
        "kind": "plugin",
        "plugin": "dsh-patchouli-agent-loop",
        "form": "recall",
    }
    assert nothing == {"message": None, "reason": "Nobody said anything new."}


def test_the_tools_answer_with_the_outcomes_as_one_text(program: Client, notes: Plugin, harbor: Project) -> None:
    said = {"messages": [{"role": "assistant", "content": "Rows are trimmed."}]}

    asked = post(program, "tools/memory_retrieve", {"session": WHOSE, "arguments": {"query": "rows"}})
    told = post(program, "tools/memory_update", {"session": WHOSE, "arguments": said, "callId": "c1"})

    for response in (asked, told):
        outcomes = {one["pluginId"]: one for one in json.loads(response.json()["output"])}
        assert outcomes["notes"]["value"] == "notes"
    assert Observation.objects.get().project == harbor


def test_a_tool_takes_no_place_from_the_model(program: Client, notes: Plugin) -> None:
    arguments = {"query": "rows", "workspaceRoot": "/"}

    response = post(program, "tools/memory_retrieve", {"session": WHOSE, "arguments": arguments})

    refused(response, 422, field="arguments.workspaceRoot")
    refused(post(program, "tools/memory_update", {"session": WHOSE, "arguments": {}}), 422, field="arguments")
    refused(
        post(program, "tools/memory_retrieve", {"session": {"id": "\0"}, "arguments": {"query": "x"}}),
        422,
        field="session.id",
    )
    assert not notes.requests


def test_a_tool_that_is_off_and_a_call_that_was_another_are_refused(program: Client, harbor: Project) -> None:
    def update(text: str) -> Response:
        said = {"messages": [{"role": "user", "content": text}]}
        return post(program, "tools/memory_update", {"session": WHOSE, "arguments": said, "callId": "c1"})

    update("In metres.")
    refused(update("In feet."), 409, field="callId")
    choose("model_tools.update", False, harbor)
    assert refused(update("In metres."), 403, "switched_off") == "memory_update is switched off for this project."


def test_a_flush_tells_whether_all_is_delivered(program: Client) -> None:
    assert post(program, "flush", {"session": "s1"}).json() == {"flushed": True}
    tell(program, "session/turn-end", turn())
    assert post(program, "flush", {"session": "s1", "seconds": 0}).json() == {"flushed": False}


@pytest.mark.parametrize("path", ["updates", "retrieve", "flush", "tools/memory_retrieve", "tools/memory_update"])
def test_a_token_that_only_reads_has_no_part_in_the_loop(harbor: Project, path: str) -> None:
    refused(post(make_program(Scope.READ), path, {}), 403)
    refused(post(Client(), path, {}), 401)
