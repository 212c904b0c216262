"""The pages of agents, and connecting one of them from the browser."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any, cast

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.connect.registry import AGENTS
from memory.models import ApiToken, AuditEntry, Capture, Project, Session
from tests.memory.configuration.conftest import home

__all__ = ["home"]  # a fixture, used by name

HERE = {"host": "127.0.0.1:7437"}
CURSOR = "/dock/connect/cursor/"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def known(home: Path) -> Path:
    """Return the configuration of a client that is there, and has a server of its own."""
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"mine": {"command": "s3cret"}}}')
    return path


def show(browser: Client, url: str = CURSOR, **headers: str) -> str:
    response = browser.get(url, headers=HERE | headers)
    assert response.status_code == 200
    return unescape(response.content.decode())


def digest(page: str) -> str:
    found = re.search(r'name="digest" value="(\w+)"', page)
    assert found
    return found[1]


def post(browser: Client, url: str, seen: str = "", **options: Any) -> HttpResponse:
    headers = HERE | options.pop("headers", {})
    return cast("HttpResponse", browser.post(url, {"digest": seen}, headers=headers, **options))


def test_every_agent_has_a_page_and_looking_writes_nothing(browser: Client, home: Path) -> None:
    assert browser.get("/dock/connect/")["Location"] == "/dock/connect/dsh/"

    for name in AGENTS:
        page = show(browser, f"/dock/connect/{name}/")
        assert len(re.findall(r'<a href="/dock/connect/[\w-]+/"[^>]*>', page)) >= len(AGENTS)
        assert f'href="/dock/connect/{name}/" aria-current="page"' in page
        assert f"memdock connect {name}" in page or "was not found" in page or "by hand" in page
    assert list(home.rglob("*")) == []
    assert not ApiToken.objects.exists()
    assert browser.get("/dock/connect/nobody/").status_code == 404


def test_the_owner_sees_what_would_be_written(browser: Client, known: Path) -> None:
    page = show(browser)

    assert "Cursor is not connected." in page
    assert "memdock connect cursor --write" in page
    assert str(known) in page
    assert '<span data-side="new">+' in page


def test_a_guest_sees_the_state_but_no_line_of_the_owners_files(client: Client, guest: User, known: Path) -> None:
    client.force_login(guest)
    page = show(client)

    assert "Cursor is not connected." in page
    assert "s3cret" not in page
    assert "Write it" not in page


def test_an_agent_is_connected_and_taken_back_with_the_backup_named(browser: Client, known: Path) -> None:
    before = known.read_text()
    response = post(browser, f"{CURSOR}write/", digest(show(browser)))
    assert response["Location"] == CURSOR

    page = show(browser)
    assert "Cursor is connected." in page
    [backup] = set(re.findall(r"<code>([^<]+memdock-backup-\d+)</code>", page))
    assert Path(backup).read_text() == before
    assert set(json.loads(known.read_text())["mcpServers"]) == {"mine", "memdock"}
    assert AuditEntry.objects.get(action="agent.connected").actor_label == "mira"
    assert "Write it" not in page

    post(browser, f"{CURSOR}remove/", digest(page))
    assert known.read_text() == before
    assert "Cursor is not connected." in show(browser)


def test_hooks_get_their_token_when_they_are_written(browser: Client, home: Path) -> None:
    (home / ".claude").mkdir()

    post(browser, "/dock/connect/claude-code/write/", digest(show(browser, "/dock/connect/claude-code/")))

    assert "hooks" in json.loads((home / ".claude" / "settings.json").read_text())
    assert ApiToken.objects.valid().count() == 1


def test_what_changed_since_it_was_shown_is_shown_again(browser: Client, known: Path) -> None:
    seen = digest(show(browser))
    known.write_text("{}")

    response = post(browser, f"{CURSOR}write/", seen)

    assert response.status_code == 409
    assert "A file has changed since it was shown." in response.content.decode()
    assert known.read_text() == "{}"


def test_what_cannot_be_edited_is_left_and_says_why(browser: Client, known: Path) -> None:
    known.write_text("{ // broken")

    page = show(browser)
    response = post(browser, f"{CURSOR}write/")

    assert "This cannot be told." in page
    assert response.status_code == 422
    assert str(known) in unescape(response.content.decode())
    assert known.read_text() == "{ // broken"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "testserver"},
        {"host": "127.0.0.1.example.org"},
        {"x-forwarded-for": "192.0.2.1"},
        {"forwarded": "for=192.0.2.1"},
    ],
)
def test_nothing_is_written_from_elsewhere(
    browser: Client, known: Path, settings: Settings, headers: dict[str, str]
) -> None:
    settings.ALLOWED_HOSTS = ["*", "127.0.0.1.example.org"]
    seen, before = digest(show(browser)), known.read_text()

    assert "Write it" not in show(browser, **headers)
    assert post(browser, f"{CURSOR}write/", seen, headers=headers).status_code == 403
    assert known.read_text() == before


def test_nothing_is_written_by_a_browser_on_another_machine(browser: Client, known: Path, settings: Settings) -> None:
    seen = digest(show(browser))

    assert post(browser, f"{CURSOR}write/", seen, REMOTE_ADDR="192.0.2.1").status_code == 403
    settings.OPEN_TO_OTHERS = True
    assert post(browser, f"{CURSOR}write/", seen).status_code == 403
    assert not AuditEntry.objects.filter(action="agent.connected").exists()


def test_nobody_but_the_owner_writes(client: Client, browser: Client, guest: User, known: Path) -> None:
    seen = digest(show(browser))
    guest.is_staff = True
    guest.save()
    client.force_login(guest)

    for act in ("write", "remove"):
        assert post(client, f"{CURSOR}{act}/", seen).status_code == 403
        assert client.get(f"{CURSOR}{act}/").status_code == 405


def test_a_projects_own_files_are_another_choice(browser: Client, home: Path, tmp_path: Path) -> None:
    root = tmp_path / "my harbor"
    root.mkdir()
    Project.objects.create(name="harbor", root=str(root))
    url = f"{CURSOR}?project=harbor&where=project"

    page = show(browser, url)
    assert f"memdock connect cursor --project '{root}' --write" in page
    response = post(browser, f"{CURSOR}write/?project=harbor&where=project", digest(page))

    assert response["Location"] == url
    assert (root / ".cursor" / "mcp.json").is_file()
    assert not (home / ".cursor").exists()
    assert "leave --project out" in show(browser, "/dock/connect/windsurf/?project=harbor&where=project")


def test_the_page_tells_when_the_agent_was_last_heard(browser: Client, home: Path) -> None:
    url, at = "/dock/connect/codex/", timezone.now()
    assert "Nothing was heard of this agent yet" in show(browser, url)

    project = Project.objects.create(name="harbor")
    facts: dict[str, Any] = {"project": project, "platform": "codex", "started_at": at, "last_activity_at": at}
    Session.objects.create(key="read", external_id="read", **facts)
    assert "Nothing was heard of this agent yet" in show(browser, url)

    session = Session.objects.create(key="heard/1", external_id="heard", last_seen_at=at, **facts)
    Capture.objects.create(
        project=project, session=session, platform="codex", turn="1", question="<b>Why</b>?", occurred_at=at,
        next_attempt_at=at,
    )  # fmt: skip
    page = browser.get(url).content.decode()
    assert "Last heard" in page
    assert "&lt;b&gt;Why&lt;/b&gt;?" in page

    part = browser.get(f"{url}heard/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert 'id="heard"' in part
    assert browser.get(f"{url}heard/")["Location"] == url
    assert browser.get("/dock/connect/nobody/heard/", headers={"HX-Request": "true"}).status_code == 404
