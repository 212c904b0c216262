"""What the API says of itself is complete and true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory import models
from tests.memory.api.callers import ROOT, make_browser, make_program, read

pytestmark = pytest.mark.django_db

OPERATIONS = {
    "add_project",
    "get_entry",
    "get_journal",
    "get_project",
    "get_session",
    "get_skill",
    "list_changes",
    "list_files",
    "list_journals",
    "list_projects",
    "list_sessions",
    "list_skills",
    "preview_file",
}


@pytest.fixture
def document() -> Any:
    return read(make_program(), "/openapi.json")


def _operations(document: Any) -> dict[str, Any]:
    return {one["operationId"]: one for path in document["paths"].values() for one in path.values()}


def test_every_route_is_described(document: Any) -> None:
    assert set(_operations(document)) >= OPERATIONS
    assert all(path.startswith("/api/v1/") for path in document["paths"])


def test_every_operation_says_what_it_is_and_who_may_ask(document: Any) -> None:
    for operation in _operations(document).values():
        assert operation["summary"]
        assert operation["tags"]
        assert operation["security"] == [{"Token": []}, {"BrowserSession": []}]
    assert set(document["components"]["securitySchemes"]) == {"Token", "BrowserSession"}


def test_every_operation_says_how_it_refuses(document: Any) -> None:
    for operation in _operations(document).values():
        replies = operation["responses"]
        assert {"200", "401", "403", "503"} <= set(replies)
        for status, reply in replies.items():
            schema = reply["content"]["application/json"]["schema"]
            assert (schema == {"$ref": "#/components/schemas/Refusal"}) is (int(status) >= 400)


def test_every_reference_leads_somewhere(document: Any) -> None:
    text = json.dumps(document)
    for part in text.split('"$ref": "')[1:]:
        name = part.split('"')[0].removeprefix("#/components/schemas/")
        assert name in document["components"]["schemas"]


def test_every_parameter_has_a_name_and_every_list_a_limit(document: Any) -> None:
    for name, operation in _operations(document).items():
        parameters = {one["name"]: one["schema"] for one in operation["parameters"]}
        assert "" not in parameters
        if name.startswith("list_") and name != "list_files":
            assert (parameters["limit"]["minimum"], parameters["limit"]["maximum"]) == (1, 200)


def test_the_replies_have_the_keys_that_are_described(sample: models.Project, document: Any) -> None:
    program = make_program(name="asks")
    schemas = document["components"]["schemas"]
    day = read(program, "/projects/harbor-api/journals/2026-01-05")
    for name, found in {
        "Project": read(program, "/projects/harbor-api"),
        "Journal": day,
        "Entry": day["entries"][0],
        "Session": read(program, "/sessions")["items"][0],
        "Skill": read(program, "/projects/harbor-api/skills")["items"][0],
        "ChangeJson": read(program, "/changes")["items"][0],
        "Folder": read(program, "/projects/harbor-api/files"),
        "Preview": read(program, "/projects/harbor-api/files/preview", path="PROJECT.md"),
    }.items():
        assert set(schemas[name]["properties"]) == set(found) == set(schemas[name]["required"])


def test_the_docs_page_needs_nothing_from_elsewhere(owner: User) -> None:
    response = make_browser(owner).get(ROOT + "/docs")
    page = response.content.decode()
    assert "https://" not in page
    assert "/static/ninja/swagger-ui-bundle.js" in page
    assert f'"url": "{ROOT}/openapi.json"' in page


def test_the_docs_page_loosens_the_policy_for_the_icons_of_its_style_sheet_only(owner: User) -> None:
    browser = make_browser(owner)
    docs = _policy(browser, "/docs")
    other = _policy(browser, "/openapi.json")
    assert docs.pop("img-src") == "'self' data:"
    assert other.pop("img-src") == "'self'"
    assert docs == other
    assert docs["script-src"].startswith("'self'")
    assert "unsafe" not in " ".join(docs.values())


def test_a_program_reads_the_document_too(sample: models.Project, tmp_path: Path) -> None:
    assert make_program().get(ROOT + "/docs").status_code == 200


def _policy(browser: Client, path: str) -> dict[str, str]:
    header = browser.get(ROOT + path)["Content-Security-Policy"]
    pairs = (part.strip().partition(" ") for part in header.split(";"))
    return {name: value for name, _, value in pairs}
