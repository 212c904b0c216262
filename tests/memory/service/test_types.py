"""Requests as they come over the wire, and outcomes as they go."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from memory.service.errors import BadRequest
from memory.service.types import Failure, MemoryChange, Meta, Request, Source, Success
from tests.memory.service.parts import asked
from tests.memory.service.test_values import VALUES


@given(VALUES)
def test_a_request_keeps_its_data(data: Any) -> None:
    request = Request.parse(asked(data, point="agent/pre-step"))

    assert request.data == data
    assert request.copy() == request
    assert request.meta.as_json() == asked(point="agent/pre-step")["meta"]


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        (None, "meta is missing"),
        ([], "meta is no object"),
        ({}, "meta.source is missing"),
        ({"source": {"type": "", "id": "x"}, "scope": "s"}, "meta.source.type is blank"),
        ({"source": {"type": "x", "id": " "}, "scope": "s"}, "meta.source.id is no text that says anything"),
        ({"source": {"type": "x", "id": "y"}}, "meta.scope is missing"),
        ({"source": {"type": "x", "id": "y"}, "scope": 3}, "meta.scope is no text that says anything"),
        ({"source": {"type": "x", "id": "y"}, "scope": "s", "requestId": ""}, "meta.requestId is blank"),
        ({"source": {"type": "x", "id": "y"}, "scope": "s", "attributes": 1}, "meta.attributes is no object"),
        ({"source": {"type": "x", "id": "y"}, "scope": "s", "attribute": {}}, "meta has an unknown field: 'attribute'"),
        ({"source": {"type": "x", "id": "y"}, "scope": "s", "attributes": {"a": {1}}}, "meta.attributes.a is no JSON"),
    ],
)
def test_a_bad_meta_is_refused_by_the_name_of_its_field(meta: object, message: str) -> None:
    with pytest.raises(BadRequest, match=f"^{message}"):
        Request.parse({"meta": meta, "data": None})


def test_a_request_needs_data_which_may_be_null() -> None:
    assert Request.parse(asked(None)).data is None
    with pytest.raises(BadRequest, match="data is missing"):
        Request.parse({"meta": asked()["meta"]})


def test_a_scope_is_taken_as_it_is() -> None:
    assert Meta(Source("a", "b"), " repo ").copy().scope == " repo "


def test_outcomes_and_changes_speak_camel_case_at_the_edge() -> None:
    assert Success("notes", {"items": []}, 1.234).as_json() == {
        "pluginId": "notes",
        "ok": True,
        "value": {"items": []},
        "durationMs": 1.23,
    }
    assert Failure("notes", "no", "timeout", 30.0).as_json() == {
        "pluginId": "notes",
        "ok": False,
        "error": "no",
        "code": "timeout",
        "durationMs": 30.0,
    }
    assert MemoryChange("notes", "7").as_json() == {"pluginId": "notes", "cursor": "7"}
    assert MemoryChange("notes", "7", "n1", {"a": 1}).as_json() == {
        "pluginId": "notes",
        "cursor": "7",
        "memoryId": "n1",
        "metadata": {"a": 1},
    }
