"""The pages of the settings beside those of keys: projects, tokens, environment, appearance."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dock.contexts import settings
from memory.api import tokens
from memory.audit import COMMAND
from memory.models import ApiToken, AuditEntry, Project, ProjectAlias, Setting
from memory.models.token import Scope
from tests.memory.configuration.conftest import home

__all__ = ["home"]  # a fixture, used by name

TOKENS = "/dock/settings/tokens/"
PAGES = [name.removeprefix("settings-") for name, _ in settings.PAGES]


@pytest.fixture
def reader(client: Client, guest: User) -> Client:
    client.force_login(guest)
    return client


def make_token(name: str) -> str:
    _, text = tokens.create(name=name, scope=Scope.WRITE, actor=COMMAND, at=timezone.now())
    return text


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_itself_and_leads_to_all_the_others(browser: Client, name: str) -> None:
    page = browser.get(f"/dock/settings/{name}/").content.decode()

    assert re.findall(r'<a href="/dock/settings/(\w+)/"(?: aria-current="page")?>', page)[: len(PAGES)] == PAGES
    assert f'<a href="/dock/settings/{name}/" aria-current="page">' in page
    assert page.count("<h1") == 1


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_as_much_of_the_database_for_many_projects(browser: Client, name: str) -> None:
    def add(number: int) -> None:
        project = Project.objects.create(name=f"p{number}")
        ProjectAlias.objects.create(project=project, name=f"also p{number}")
        Setting.objects.create(project=project, key="recall.enabled", value=False)
        make_token(f"t{number}")

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert browser.get(f"/dock/settings/{name}/").status_code == 200
        return len(found)

    add(0)
    before = queries()
    for number in range(1, 20):
        add(number)

    assert queries() == before


def test_projects_are_listed_with_their_names_and_what_is_set_for_them(browser: Client, db: None) -> None:
    project = Project.objects.create(name='"><script>', root="/src/harbor")
    ProjectAlias.objects.create(project=project, name="harbour")
    Setting.objects.create(project=project, key="recall.enabled", value=False)

    page = browser.get("/dock/settings/projects/").content.decode()

    assert "&quot;&gt;&lt;script&gt;" in page
    assert '"><script>' not in page
    assert "<code>/src/harbor</code>" in page
    assert "Also called harbour" in page
    assert "1 setting of its own" in page
    assert 'href="/dock/projects/add/"' in page
    assert 'href="/dock/projects/merge/"' in page


def test_a_token_is_made_and_its_text_shown_once(browser: Client, db: None) -> None:
    response = browser.post(TOKENS, {"name": "<ci>", "scope": "write"})

    found = re.search(r"mdk_w_[\w-]{43}", response.content.decode())
    assert found
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    made = tokens.find(found[0])
    assert made
    assert (made.name, made.scope, made.created_by) == ("<ci>", "write", User.objects.get(username="mira"))
    page = browser.get(TOKENS).content.decode()
    assert found[0] not in page
    assert "&lt;ci&gt;" in page
    assert found[0][:10] in page
    assert AuditEntry.objects.get(action="token.created").actor_label == "mira"


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"name": "", "scope": "read"}, "A token needs a name"),
        ({"name": "taken", "scope": "read"}, "There is a token of this name already"),
        ({"name": "a\tb", "scope": "read"}, "printable characters"),
        ({"name": "new"}, "Choose what the token may do."),
        ({"name": "new", "scope": "root"}, "Select a valid choice"),
    ],
)
def test_a_token_that_cannot_be_made_says_why(browser: Client, db: None, form: dict[str, str], error: str) -> None:
    make_token("taken")

    response = browser.post(TOKENS, form)

    assert response.status_code == 422
    assert error in response.content.decode()
    assert ApiToken.objects.count() == 1


def test_a_token_is_revoked_once(browser: Client, db: None) -> None:
    text = make_token("ci/1 ?")
    [url] = re.findall(rf'action="({TOKENS}[^"]+/revoke/)"', browser.get(TOKENS).content.decode())

    page = browser.post(url, follow=True).content.decode()
    assert "The token ci/1 ? is refused from now on." in page
    assert tokens.find(text) is None
    assert "Revoked tokens" in page

    assert "There is no valid token named ci/1 ?." in browser.post(url, follow=True).content.decode()
    assert AuditEntry.objects.filter(action="token.revoked").count() == 1


def test_a_reader_sees_tokens_and_makes_or_ends_none(reader: Client) -> None:
    make_token("ci")
    page = reader.get(TOKENS).content.decode()

    assert "ci" in page
    assert "Revoke it" not in page
    assert "Make the token" not in page
    assert reader.post(TOKENS, {"name": "mine", "scope": "read"}).status_code == 403
    assert reader.post(f"{TOKENS}ci/revoke/").status_code == 403
    assert ApiToken.objects.valid().count() == 1


def test_the_environment_is_told_without_its_secrets(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOCK_SECRET_KEY", "s3cret")
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "s3cret")
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    monkeypatch.setenv("MEMDOCK_REDIS_URL", "redis://mira:s3cret@cache:6379/0")
    monkeypatch.setenv("DSH_CLI", "/opt/dsh <x>")
    monkeypatch.delenv("MEMDOCK_DATABASE_URL", raising=False)  # that of the tests may have a password too

    page = browser.get("/dock/settings/environment/").content.decode()

    assert "s3cret" not in page
    assert "redis://••••@cache:6379/0" in page
    assert "/opt/dsh &lt;x&gt;" in page
    assert page.count("••••") == 4
    assert browser.post("/dock/settings/environment/").status_code == 405


def test_the_theme_is_chosen_in_the_browser(browser: Client, db: None) -> None:
    page = browser.get("/dock/settings/appearance/").content.decode()

    assert page.count('data-theme-choice="dark"') == 2
    assert "<noscript>" in page
