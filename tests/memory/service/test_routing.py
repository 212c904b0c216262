"""What a person allows each plugin."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.service.routing import BadSettings, Settings, parse
from memory.service.types import Call, Operation
from tests.memory.service.parts import meta
from tests.memory.service.test_values import TEXTS, VALUES

OPERATIONS = st.sampled_from(list(Operation))
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "operations": st.lists(OPERATIONS.map(str), min_size=1),
        "source_types": st.lists(st.sampled_from(["consumer", "agent-loop"]), min_size=1),
        "source_ids": st.lists(st.sampled_from(["tests", "loop"]), min_size=1),
        "scopes": st.lists(st.sampled_from(["/work/harbor", "/work"]), min_size=1),
        "attributes": st.dictionaries(st.sampled_from(["point", "turn"]), st.sampled_from(["tool/result", 1, True])),
    },
)


def routed(policy: dict[str, Any], operation: Operation = Operation.UPDATE, **attributes: Any) -> bool:
    call = Call(operation, meta(**attributes))
    return parse({"routing": {"notes": policy}}).policy("notes").allows(call)


@given(POLICIES, OPERATIONS, st.dictionaries(st.sampled_from(["point", "turn", "step"]), st.sampled_from([1, True])))
def test_a_call_passes_when_every_field_allows_it(
    policy: dict[str, Any], operation: Operation, attributes: dict[str, Any]
) -> None:
    def same(key: str, wanted: object) -> bool:
        return key in attributes and json.dumps(attributes[key]) == json.dumps(wanted)

    expected = (
        policy.get("enabled", True)
        and operation in policy.get("operations", [operation])
        and "consumer" in policy.get("source_types", ["consumer"])
        and "tests" in policy.get("source_ids", ["tests"])
        and "/work/harbor" in policy.get("scopes", ["/work/harbor"])
        and all(same(key, wanted) for key, wanted in policy.get("attributes", {}).items())
    )

    assert routed(policy, operation, **attributes) == expected


@given(VALUES)
def test_an_attribute_equals_itself_and_nothing_that_json_tells_apart(value: Any) -> None:
    assert routed({"attributes": {"a": value}}, a=value, b="more does not matter")
    assert not routed({"attributes": {"a": value}}, a=[value])
    assert not routed({"attributes": {"a": value}})


@pytest.mark.parametrize(("wanted", "told"), [(True, 1), (0, False), ([1], [True]), ({"x": 1}, {"x": True})])
def test_true_is_not_one(wanted: Any, told: Any) -> None:
    assert not routed({"attributes": {"a": wanted}}, a=told)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"retrieveTimeout": 3}, "the service's settings: unknown field 'retrieveTimeout'"),
        ({"retrieve_timeout": 0}, "retrieve_timeout is no number of seconds above 0"),
        ({"update_timeout": "60"}, "update_timeout is no number"),
        ({"update_timeout": True}, "update_timeout is no number"),
        ({"update_timeout": float("inf")}, "update_timeout is no number"),
        ({"routing": []}, "routing is no object"),
        ({"routing": {"notes": "off"}}, "the routing of notes is no object"),
        ({"routing": {"notes": {"operation": ["update"]}}}, "the routing of notes: unknown field 'operation'"),
        ({"routing": {"notes": {"operations": []}}}, "notes: operations is no list of at least one text"),
        ({"routing": {"notes": {"operations": ["write"]}}}, "notes: operations has 'write'"),
        ({"routing": {"notes": {"scopes": "/work"}}}, "notes: scopes is no list"),
        ({"routing": {"notes": {"source_ids": [""]}}}, "notes: source_ids is no list"),
        ({"routing": {"notes": {"enabled": "no"}}}, "notes: enabled is no true or false"),
        ({"routing": {"notes": {"attributes": []}}}, "notes: attributes is no object"),
        ({"routing": {"notes": {"retrieve_timeout": -1}}}, "notes: retrieve_timeout is no number"),
    ],
)
def test_a_typo_allows_nothing_silently(value: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSettings, match=f"^{message}"):
        parse(value)


@given(TEXTS)
def test_a_plugin_that_nobody_names_gets_everything(plugin_id: str) -> None:
    assert parse({}).policy(plugin_id).allows(Call(Operation.RETRIEVE, meta()))


def test_a_plugin_has_its_own_deadlines() -> None:
    settings = parse({"retrieve_timeout": 5, "routing": {"notes": {"retrieve_timeout": 0.5, "update_timeout": 9}}})

    assert settings.deadline("notes", Operation.RETRIEVE) == 0.5
    assert settings.deadline("notes", Operation.UPDATE) == 9
    assert settings.deadline("other", Operation.RETRIEVE) == 5
    assert settings.deadline("other", Operation.UPDATE) == Settings().update_timeout == 60
