"""Whatever goes wrong at the API is told as JSON, and nothing of our insides with it."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from memory.models import Project
from memory.models.token import Scope
from tests.databases import another_writer
from tests.makers import make_tree
from tests.memory.api.callers import ROOT, make_program, refused

pytestmark = pytest.mark.django_db

BODY = json.dumps({"root": "/no/such/place"})


@pytest.fixture
def admin(db: None) -> Client:
    return make_program(Scope.ADMIN)


@pytest.mark.parametrize(
    "path", ["", "/", "/nothing", "/projects/", "/a%0Ab", "/%00", "/projects/x/journals/2026-01-05/y", "/..;/"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_an_unknown_address_is_a_404(admin: Client, method: str, path: str) -> None:
    response = admin.generic(method, ROOT + path, follow=False)
    if path == "":  # Django's redirect to the address with a slash
        assert response.status_code in {301, 308}
        return
    if path.startswith("/projects/x") and method != "GET":
        refused(response, 405, "method_not_allowed")
        return
    refused(response, 404, "not_found")


def test_an_unknown_address_is_a_404_for_strangers_who_post_too() -> None:
    refused(Client(enforce_csrf_checks=True).post(ROOT + "/nothing"), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/projects", {"GET", "POST"}),
        ("POST", "/projects/harbor-api", {"GET"}),
        ("PUT", "/projects/harbor-api/journals", {"GET"}),
        ("POST", "/sessions/x", {"GET"}),
        ("POST", "/changes", {"GET"}),
        ("POST", "/openapi.json", {"GET"}),
        ("POST", "/docs", {"GET"}),
        ("TRACE", "/entries/1", {"GET"}),
    ],
)
def test_a_method_that_is_not_there_is_a_405(admin: Client, method: str, path: str, allowed: set[str]) -> None:
    response = admin.generic(method, ROOT + path)
    refused(response, 405, "method_not_allowed")
    assert set(response["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b"{'root': 1}",
        b'{"root": NaN}',
        b'{"root": Infinity}',
        b"[" * 100_000,
        b"9" * 5000,
        b"\0",
        b" ",
    ],
)
def test_a_body_that_is_no_json_is_a_400(admin: Client, body: bytes) -> None:
    refused(admin.post(ROOT + "/projects", body, content_type="application/json"), 400, "bad_request")


def test_a_lone_surrogate_is_refused(admin: Client) -> None:
    response = admin.post(ROOT + "/projects", b'{"root": "/\\ud800"}', content_type="application/json")
    refused(response, 422, "invalid", field="root")


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain;charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/json",
        "",
    ],
)
def test_a_body_that_is_not_declared_as_json_is_a_415(admin: Client, kind: str) -> None:
    refused(admin.generic("POST", ROOT + "/projects", BODY, content_type=kind), 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_read_however_it_is_declared(admin: Client, kind: str) -> None:
    refused(admin.generic("POST", ROOT + "/projects", BODY, content_type=kind), 422, "invalid", field="root")


def test_a_missing_body_is_a_422(admin: Client) -> None:
    refused(admin.generic("POST", ROOT + "/projects", b"", content_type=""), 422, "invalid")


def test_a_body_beyond_the_limit_is_a_413(admin: Client) -> None:
    body = b'{"root": "' + b"x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE + b'"}'
    refused(admin.post(ROOT + "/projects", body, content_type="application/json"), 413, "too_large")


def test_too_many_parameters_are_a_400(admin: Client) -> None:
    query = "&".join(f"a{number}=1" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    refused(admin.get(f"{ROOT}/sessions?{query}"), 400, "bad_request")


def test_our_own_mistake_is_a_500_that_tells_no_details(admin: Client, caplog: pytest.LogCaptureFixture) -> None:
    table = Project._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT before")
        cursor.execute(f"ALTER TABLE {table} RENAME TO lost")
    with caplog.at_level(logging.ERROR, logger="memdock.api"):
        response = admin.get(ROOT + "/projects")
    assert table not in refused(response, 500, "internal_error")
    assert table in caplog.text
    with connection.cursor() as cursor:
        cursor.execute("ROLLBACK TO SAVEPOINT before")


@pytest.mark.django_db(transaction=True)
def test_a_locked_database_is_a_503_and_can_be_read(tree: Path) -> None:
    admin = make_program(Scope.ADMIN)
    make_tree(tree)
    with another_writer("memory_project"):
        response = admin.post(ROOT + "/projects", json.dumps({"root": str(tree)}), content_type="application/json")
        refused(response, 503, "busy")
        assert int(response["Retry-After"]) > 0
        assert admin.get(ROOT + "/projects").status_code == 200
