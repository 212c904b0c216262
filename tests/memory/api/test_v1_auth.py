"""Who is let in to the API, and who is told what instead."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from memory.api import tokens
from memory.audit import COMMAND
from memory.models import ApiToken, AuditEntry, Project
from memory.models.token import Scope
from tests.makers import make_tree
from tests.memory.api.callers import ROOT, Response, make_browser, make_program, read, refused

pytestmark = pytest.mark.django_db

PATHS = [
    "/projects",
    "/projects/harbor-api",
    "/projects/harbor-api/journals",
    "/projects/harbor-api/journals/2026-01-05",
    "/projects/harbor-api/files",
    "/projects/harbor-api/files/preview?path=PROJECT.md",
    "/projects/harbor-api/skills",
    "/projects/harbor-api/skills/nothing",
    "/entries/1",
    "/sessions",
    "/sessions/nobody",
    "/changes",
    "/docs",
    "/openapi.json",
]


@pytest.mark.parametrize("path", PATHS)
def test_strangers_are_asked_for_a_token(client: Client, path: str) -> None:
    response = client.get(ROOT + path)
    refused(response, 401, "unauthorized")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "value",
    ["Bearer", "Bearer ", "Bearer nonsense", "Bearer mdk_r_" + "x" * 43, "Basic bWlyYTp4", "Bearer ünïcode\xff"],
)
def test_an_unknown_token_is_refused(client: Client, value: str) -> None:
    refused(client.get(ROOT + "/projects", headers={"Authorization": value}), 401, "unauthorized")


@pytest.mark.parametrize("scope", list(Scope))
def test_every_scope_may_read(sample: Project, scope: Scope) -> None:
    assert [item["name"] for item in read(make_program(scope), "/projects")["items"]] == ["harbor-api"]


def test_the_use_of_a_token_is_noted(sample: Project) -> None:
    read(make_program(name="noted"), "/projects")
    assert ApiToken.objects.get(name="noted").last_used_at is not None


def test_a_revoked_token_is_refused_even_in_a_signed_in_browser(owner: User) -> None:
    program = make_program(name="gone")
    program.force_login(owner)
    tokens.revoke(name="gone", actor=COMMAND, at=timezone.now())
    refused(program.get(ROOT + "/projects"), 401, "unauthorized")


def test_a_signed_in_guest_may_read(sample: Project, guest: User) -> None:
    assert read(make_browser(guest), "/projects/harbor-api")["name"] == "harbor-api"


def test_a_person_without_an_account_any_more_may_not_read(guest: User) -> None:
    browser = make_browser(guest)
    User.objects.filter(pk=guest.pk).update(is_active=False)
    refused(browser.get(ROOT + "/projects"), 401, "unauthorized")


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
def test_a_token_of_too_small_a_scope_cannot_add_a_project(tree: Path, scope: Scope) -> None:
    refused(_add(make_program(scope), tree), 403, "forbidden")
    assert not Project.objects.exists()


def test_the_cookie_alone_cannot_add_a_project(owner: User, tree: Path) -> None:
    refused(_add(make_browser(owner), tree), 403, "csrf_failed")
    assert not Project.objects.exists()


def test_a_wrong_csrf_token_cannot_add_a_project(owner: User, tree: Path) -> None:
    browser = make_browser(owner)
    browser.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    refused(_add(browser, tree, headers={"X-CSRFToken": "b" * 32}), 403, "csrf_failed")


def test_the_owner_adds_a_project_with_the_csrf_token_of_the_docs_page(owner: User, tree: Path) -> None:
    browser = make_browser(owner)
    page = browser.get(ROOT + "/docs").content.decode()
    token = re.search(r'data-csrf-token="(\w+)"', page)
    assert token
    assert _add(browser, tree, headers={"X-CSRFToken": token[1]}).status_code == 201
    assert AuditEntry.objects.get(action="project.added").actor == owner


def test_a_guest_needs_the_permission_to_add_a_project(guest: User, tree: Path) -> None:
    browser = make_browser(guest)
    browser.cookies[settings.CSRF_COOKIE_NAME] = secret = "a" * 32
    refused(_add(browser, tree, headers={"X-CSRFToken": secret}), 403, "forbidden")
    guest.user_permissions.add(Permission.objects.get(codename="add_project"))
    assert _add(browser, tree, headers={"X-CSRFToken": secret}).status_code == 201


def test_a_stranger_who_writes_is_told_to_sign_in_and_not_about_csrf(tree: Path) -> None:
    refused(_add(Client(enforce_csrf_checks=True), tree), 401, "unauthorized")


def test_a_page_of_another_site_is_refused_with_a_token_too(sample: Project) -> None:
    refused(make_program().get(ROOT + "/projects", headers={"Origin": "https://evil.example"}), 403, "forbidden")


def test_the_audit_trail_names_the_token_that_added_a_project(tree: Path) -> None:
    assert _add(make_program(Scope.ADMIN, name="deploy"), tree).status_code == 201
    assert AuditEntry.objects.get(action="project.added").actor_label == "token deploy"


def _add(client: Client, root: Path, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps({"root": str(make_tree(root))})
    return client.post(ROOT + "/projects", body, content_type="application/json", headers=headers or {})
