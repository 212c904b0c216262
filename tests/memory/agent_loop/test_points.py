"""What is told of each point: exactly what belongs to it, and nothing that a model said about where it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.agent_loop import points
from memory.agent_loop.errors import BadObservation
from memory.agent_loop.points import POINTS
from tests.memory.agent_loop.seen import AGENT, CWD, HEADER, SAID, data, step, turn

EXECUTION = {"callId": "c1", "rootCallId": "c1", "name": "bash", "arguments": {"command": "ls"}, "nested": False}
RESULT = {"isError": False, "content": [{"type": "text", "text": "src"}]}
FAILED = {"name": "TypeError", "message": "boom", "stack": "TypeError: boom\n    at loop.js:1"}

SEEN: dict[str, dict[str, Any]] = {
    "agent/session-start": data(source="resume"),
    "agent/pre-step": step(SAID, number=2),
    "agent/turn-stopping": data(turn=1) | {"session": {"header": HEADER, "events": turn()["events"]}},
    "tools/post-execute": data(execution=EXECUTION, result=RESULT, decision={"kind": "accept"}),
    "agent/created": data(),
    "agent/disposed": data(),
    "agent/request-error": data(turn=1, step=2, provider="p", failure={"code": "AUTH"}, retryPolicy={"maxRetries": 2}),
    "agent/error": data(turn=1, step=2, error=FAILED),
    "session/turn-end": turn(3, outcome="aborted"),
    "tools/result": data(execution=EXECUTION, result=RESULT),
}
EXTRA: dict[str, dict[str, Any]] = {
    "agent/pre-step": {"turn": 1, "step": 2},
    "agent/turn-stopping": {"turn": 1},
    "agent/request-error": {"turn": 1, "step": 2},
    "agent/error": {"turn": 1, "step": 2},
    "session/turn-end": {"turn": 3, "outcome": "aborted"},
}


def refused(name: str, told: Any) -> str:
    with pytest.raises(BadObservation) as caught:
        points.observation(name, told)
    return caught.value.field


@pytest.mark.parametrize("name", POINTS)
def test_data_is_what_can_be_seen_and_meta_what_may_be_routed_by(name: str) -> None:
    found = points.observation(name, SEEN[name])

    assert found.data == SEEN[name]
    assert found.meta(request_id="r1").as_json() == {
        "source": {"type": "agent-loop", "id": "dsh-patchouli-agent-loop"},
        "scope": str(CWD),
        "requestId": "r1",
        "attributes": {"point": name, "sessionId": "s1", "workspaceRoot": str(CWD)} | EXTRA.get(name, {}),
    }


@pytest.mark.parametrize("cwd", [{}, {"cwd": None}, {"cwd": " "}])
def test_a_session_without_a_directory_is_its_own_scope(cwd: dict[str, Any]) -> None:
    found = points.observation("agent/created", data({"id": "s1"} | cwd))

    assert found.meta().as_json()["scope"] == "s1"
    assert found.meta().as_json()["attributes"] == {"point": "agent/created", "sessionId": "s1"}


@pytest.mark.parametrize("name", POINTS)
def test_nothing_may_be_missing_and_nothing_added(name: str) -> None:
    told = SEEN[name]

    for key in told:
        if key != "retryPolicy":
            assert refused(name, {field: value for field, value in told.items() if field != key}).startswith("data.")
    assert refused(name, told | {"scope": "/elsewhere"}) == "data.scope"
    assert refused(name, told | {"session": {"header": HEADER, "events": [], "more": 1}}) == "data.session"
    if name != "agent/turn-stopping":  # the history of the session is not told with every step
        assert refused(name, told | {"session": {"header": HEADER, "events": []}}) == "data.session"


@pytest.mark.parametrize(
    ("name", "told", "field"),
    [
        ("agent/unknown", data(), "point"),
        ("tool/memory-update", data(), "point"),
        ("agent/created", [], "data"),
        ("agent/created", {"agent": AGENT}, "data.session"),
        ("agent/created", data() | {"agent": "a1"}, "data.agent"),
        ("agent/created", data({"id": " "}), "session.id"),
        ("agent/created", data({"id": 7}), "session.id"),
        ("agent/created", data({"id": "s1", "cwd": 7}), "session.cwd"),
        ("agent/created", data({"id": "s1", "cwd": "harbor"}), "session.cwd"),
        ("agent/created", data(HEADER | {"x": float("inf")}), "data"),
        ("agent/pre-step", step() | {"messages": "none"}, "data.messages"),
        ("agent/error", data(turn=1, step=True, error=None), "data.step"),
        ("agent/error", data(turn=-1, step=1, error=None), "data.turn"),
    ],
)
def test_what_is_no_observation_is_refused_by_its_field(name: str, told: Any, field: str) -> None:
    assert refused(name, told) == field


def test_private_blocks_are_taken_out_before_anybody_sees_them() -> None:
    secret = {**SAID, "content": [{"type": "text", "text": "kept <private>secret</private> kept"}]}
    told = step(secret) | {"agent": {"id": "a1", "options": {"<private>secret": "<PRIVATE>secret to the end"}}}

    found = points.observation("agent/pre-step", told)

    assert "secret" not in json.dumps(found.data)
    assert json.dumps(found.data).count("kept") == 2


def test_a_turn_is_told_whole_with_reasoning_attachments_and_what_was_recalled() -> None:
    told = turn(2, first=7)
    told["events"][2]["data"]["message"]["content"] += [
        {"type": "reasoning", "text": "They may be blank."},
        {"type": "image", "attachment": {"attachmentId": "sha256:0", "mediaType": "image/png"}},
    ]

    assert points.observation("session/turn-end", told).data == told


BROKEN: dict[str, tuple[Any, str]] = {
    "gap": (lambda told: told["events"].pop(1), "data.events"),
    "no start": (lambda told: told["events"].pop(0), "data.events"),
    "no end": (lambda told: told["events"].pop(), "data.events"),
    "nothing": (lambda told: told["events"].clear(), "data.events"),
    "more than the turn": (lambda told: told["events"].insert(0, {"type": "step/end", "seq": 6}), "data.events"),
    "two starts": (lambda told: told["events"].insert(0, told["events"][0] | {"seq": 6}), "data.events"),
    "start of another": (lambda told: told["events"][0].update(data={"turn": 1}), "data.events"),
    "event without a number": (lambda told: told["events"][1].pop("seq"), "data.events"),
    "event that is none": (lambda told: told["events"].__setitem__(1, "event"), "data.events"),
    "backwards": (lambda told: told["events"].reverse(), "data.events"),
    "no list": (lambda told: told.update(events={}), "data.events"),
    "end that is a start": (lambda told: told.update(event=told["events"][0]), "data.event"),
    "end that is none": (lambda told: told.update(event=None), "data.event"),
    "end without a reason": (lambda told: told["event"]["data"].pop("reason"), "data.event"),
    "end without a number": (lambda told: told["event"].pop("seq"), "data.event"),
    "turn that is no number": (lambda told: told["event"]["data"].update(turn="2"), "data.event"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_turn_that_is_not_whole_is_refused(name: str) -> None:
    (change, field), told = BROKEN[name], turn(2, first=7)
    change(told)

    assert refused("session/turn-end", told) == field


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.sampled_from(sorted(POINTS)), JSON, st.dictionaries(st.text(), JSON, max_size=4))
def test_whatever_is_told_is_taken_or_refused(name: str, value: Any, more: dict[str, Any]) -> None:
    for told in (value, SEEN[name] | more, data(more), SEEN[name] | {"agent": value}):
        try:
            found = points.observation(name, told)
        except BadObservation:
            continue
        assert found.meta().as_json()["attributes"]["point"] == name  # type: ignore[index, call-overload]
