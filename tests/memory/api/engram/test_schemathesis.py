"""Whatever is sent to the wire, as its routes read it or not, is answered in JSON and never a failure of ours."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case

from memory.api.engram.routes import ROUTES
from memory.search import index
from tests.memory.api.engram import wire_schema
from tests.memory.api.engram.agents import Agent

TOKEN = "secret"

schema = schemathesis.openapi.from_dict(wire_schema.document())


@pytest.fixture
def wire(harbor: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that may do everything, and what it finds."""
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", TOKEN)
    harbor.token = TOKEN
    harbor.save("The lease manager has two ports", topic_key="lease/port", operation_id="op-1")
    harbor.save("The lease manager has two ports more", type="bugfix")
    harbor.ask_of_person("Why does the lease manager listen on two ports?")
    harbor.begin("s2", "tide")
    index.follow()
    return harbor


def test_the_schema_knows_what_every_route_reads() -> None:
    lines = {wire_schema.line(route) for route in ROUTES if route.method in {"POST", "PATCH"}}
    assert lines == set(wire_schema.BODIES) | wire_schema.BODILESS


@schema.parametrize()
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_fails(case: Case[Any], wire: Agent) -> None:
    query = {name: value if isinstance(value, list) else str(value) for name, value in (case.query or {}).items()}
    body = case.body if isinstance(case.body, dict | list | str | int | float | bool) else None

    status, answer = wire.ask(f"{case.method} {case.formatted_path}", body, **query)

    assert status < 500, (case.method, case.formatted_path, query, body, answer)
    assert status < 400 or isinstance(answer["error"], str)
