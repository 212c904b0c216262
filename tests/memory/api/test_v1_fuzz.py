"""Whatever is sent to the API, as its own schema describes it or not, is answered and never a failure of ours."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case

from memory.models.token import Scope
from memsite.api import api
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import make_program

pytestmark = pytest.mark.django_db(transaction=True)

schema = schemathesis.openapi.from_dict(json.loads(json.dumps(api.get_openapi_schema(), default=str)))


@schema.parametrize()
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_fails(case: Case[Any], tmp_path: Path) -> None:
    if not (tmp_path / "harbor").exists():
        make_project(make_tree(tmp_path / "harbor", {"2026-01-15": make_entry_text()}))
    program = make_program(Scope.ADMIN, name=secrets.token_hex(8))
    query = {name: str(value) for name, value in (case.query or {}).items()}
    body = json.dumps(case.body).encode() if isinstance(case.body, dict | list | str | int | float | bool) else b""

    response = program.generic(
        case.method, f"/api/v1{case.formatted_path}", body, "application/json", query_params=query
    )

    assert response.status_code < 500, (case.method, case.formatted_path, query, body, response.content)
    if response["Content-Type"].startswith("application/json"):
        response.json()
