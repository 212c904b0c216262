"""Whatever is sent, the reply is JSON and no failure of the server."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st
from pytest_django import Settings

from memory.api.engram.bodies import Body, StrictBody
from memory.api.engram.routes import ROUTES, Route
from tests.memory.api.engram.agents import JSON, Agent
from tests.memory.api.engram.test_doors import line

WITH_BODY = [route for route in ROUTES if route.method in {"POST", "PATCH"} and "replay" not in route.template]
KEYS = sorted({name for body in [*Body.__subclasses__(), *StrictBody.__subclasses__()] for name in body.model_fields})
NAMES = "project all_projects cwd q type scope limit offset match_mode observation_id before after session_id"
MORE_NAMES = "check status since sort hard expected_project operation_id observations prompts sessions pinned max_bytes"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{}{}",
        b"[]",
        b"7",
        b'"text"',
        b"nul",
        b"{'id': 1}",
        b'{"id": NaN}',
        b'{"x": Infinity}',
        b"\xff\xfe",
        b'{"id": "\xff"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"x": ' + b"9" * 5000 + b"}",
        "{}".encode("utf-16"),
        b"\0",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_refuses_what_is_no_json_object(agent: Agent, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    for route in WITH_BODY:
        reply = Agent(token="secret").refused(400, line(route), body)
        assert reply["error"].startswith("invalid json: ")


@pytest.mark.parametrize("value", [1, True, ["a"], {"a": 1}, "\ud800", "a\udc00b", "nul\0"])
def test_refuses_values_that_are_no_text(harbor: Agent, value: object) -> None:
    for key in ("session_id", "title", "content", "topic_key"):
        body = {"session_id": "s1", "title": "Tides", "content": "One hour"} | {key: value}
        reply = harbor.refused(400, "POST /observations", body)
        assert reply["error"].startswith(f"invalid json: {key}: ")
    assert harbor.get("/observations") == []


def test_takes_null_for_absent_and_ignores_what_it_does_not_know(harbor: Agent) -> None:
    harbor.save("Tides", type=None, scope=None, project=None, metadata={"deep": ["\ud800"]}, title_=1)
    assert harbor.get("/observations")[0]["type"] == "manual"


def test_needs_no_content_type(agent: Agent) -> None:
    for content_type in ("", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"):
        response = Client().generic("POST", "/sessions", b'{"id":"s1","project":"harbor"}', content_type=content_type)
        assert response.status_code == 201


def test_takes_any_script(harbor: Agent) -> None:
    for title in ("Гавань 🚢", "泊位分配", '"; DROP TABLE x; --', "<script>alert(1)</script>", "a\u202eb"):
        pk = harbor.save(title, title)["id"]
        assert harbor.get(f"/observations/{pk}")["title"] == title


def test_takes_a_body_up_to_the_limit(agent: Agent, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    body = b'{"id":"s1","project":"harbor"'
    full = body + b" " * (1000 - len(body) - 1) + b"}"
    assert agent.ask("POST /sessions", full)[0] == 201
    assert agent.refused(413, "POST /sessions", full + b" ")["error"] == "request body too large"


@pytest.mark.parametrize("query", ["q=%00", "q=a&project=%00", "q=a&type=%00", "q=a&scope=x%00"])
def test_refuses_what_no_database_holds(agent: Agent, query: str) -> None:
    agent.refused(400, f"GET /search?{query}")
    agent.refused(400, "GET /sessions/a%00b")


def test_takes_bytes_that_are_no_text_for_unreadable_characters(harbor: Agent) -> None:
    assert harbor.get("/search?q=%ff%fe") == []
    harbor.refused(400, "GET /search?" + "&".join(f"a{n}=1" for n in range(2000)))


texts = st.text(st.characters(), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from(["s1", "harbor", "1", "true"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
bodies = st.none() | st.binary(max_size=40) | st.dictionaries(st.sampled_from(KEYS), values, max_size=8)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(["1", "harbor", "true", "-1"])
queries = st.lists(st.tuples(st.sampled_from([*NAMES.split(), *MORE_NAMES.split()]), words), max_size=5)


def _raw(body: Any) -> bytes:
    return body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()


@profile(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(route=st.sampled_from(ROUTES), ids=st.lists(words, min_size=2, max_size=2), query=queries, body=bodies)
def test_never_fails(
    harbor: Agent,
    route: Route,
    ids: list[str],
    query: list[tuple[str, str]],
    body: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    segments = [quote(ids.pop(), safe="") if part == "{}" else part for part in route.template]
    response = harbor.client.generic(
        route.method,
        f"/{'/'.join(segments)}?{urlencode(query)}",
        _raw(body),
        content_type=JSON,
        headers={"Authorization": "Bearer secret"},
    )
    assert response.status_code < 500, response.content
    assert response["Content-Type"] == JSON
    assert response.status_code < 400 or isinstance(response.json()["error"], str)
