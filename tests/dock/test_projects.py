"""Adding a project in the browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils.html import escape

from memory.models import AuditEntry, Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.places import FIXTURES

ADD = "/dock/projects/add/"


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the sample is not here")
def test_reads_the_directory_and_goes_to_its_journals(browser: Client, db: None) -> None:
    response = browser.post(ADD, {"path": str(FIXTURES / "sample" / "harbor-api"), "name": ""}, follow=True)
    assert response.redirect_chain == [("/dock/journals/?project=harbor-api", 302)]
    page = response.content.decode()
    assert "harbor-api: 87 entries read, 1 problem" in page
    assert "87 entries on 10 days" in page


def test_writes_down_who_added_it(browser: Client, tree: Path) -> None:
    browser.post(ADD, {"path": str(make_tree(tree))})
    assert AuditEntry.objects.get(action="project.added").actor_label == "mira"


def test_takes_another_name(browser: Client, tree: Path) -> None:
    response = browser.post(ADD, {"path": str(make_tree(tree)), "name": "Tide <Tables>"})
    assert response["Location"] == "/dock/journals/?project=tide+%3Ctables%3E"
    assert browser.get(response["Location"]).status_code == 200


def test_does_the_same_twice_without_harm(browser: Client, tree: Path) -> None:
    make_tree(tree, {"2026-01-15": make_entry_text()})
    for _ in range(2):
        assert browser.post(ADD, {"path": str(tree)}).status_code == 302
    assert Project.objects.count() == 1


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "A project needs the path of its directory."),
        ("/no/<b>such</b>", "/no/<b>such</b> does not exist."),
        ("C:\\work\\harbor", "is a path on Windows"),
        ("/\0", "Null characters are not allowed."),
    ],
)
def test_says_at_the_field_why_a_directory_is_none(browser: Client, db: None, path: str, message: str) -> None:
    response = browser.post(ADD, {"path": path, "name": "kept"})
    page = response.content.decode()
    assert response.status_code == 422
    assert escape(message) in page
    assert 'id="project-path-error"' in page and 'id="project-name-error"' not in page
    assert 'value="kept"' in page
    assert not Project.objects.exists()


def test_says_that_there_is_no_memory_yet(browser: Client, tree: Path) -> None:
    response = browser.post(ADD, {"path": str(tree)})
    assert response.status_code == 422
    assert "has no .memsearch directory" in response.content.decode()


@pytest.mark.parametrize(("name", "message"), [("harbor", "is taken by"), ("a\tb", "control characters")])
def test_says_at_the_field_why_a_name_is_none(browser: Client, tmp_path: Path, name: str, message: str) -> None:
    make_project(make_tree(tmp_path / "harbor"))
    response = browser.post(ADD, {"path": str(make_tree(tmp_path / "other")), "name": name})
    page = response.content.decode()
    assert response.status_code == 422
    assert message in page
    assert 'id="project-name-error"' in page
    assert Project.objects.count() == 1


def test_is_only_for_who_may_add(client: Client, guest: User, tree: Path) -> None:
    client.force_login(guest)
    assert client.get(ADD).status_code == 403
    assert client.post(ADD, {"path": str(make_tree(tree))}).status_code == 403
    assert not Project.objects.exists()
    guest.user_permissions.add(Permission.objects.get(codename="add_project"))
    assert client.get(ADD).status_code == 200


def test_asks_a_stranger_to_sign_in(client: Client, db: None) -> None:
    assert client.get(ADD)["Location"] == f"/dock/sign-in/?next={ADD}"


def test_takes_no_post_from_another_page(owner: User, tree: Path) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    assert browser.post(ADD, {"path": str(make_tree(tree))}).status_code == 403
    assert browser.put(ADD).status_code in {403, 405}
    assert not Project.objects.exists()
