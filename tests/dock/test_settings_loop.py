"""The settings' page of the agent loop."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dock.contexts import settings_loop
from memory.agent_loop import policy
from memory.models import Project, Setting
from tests.memory.configuration.conftest import home

__all__ = ["home"]  # a fixture, used by name

URL = "/dock/settings/loop/"
DEFAULTS = {
    "agent_loop.retrieve.pre_step": "true",
    "agent_loop.store.turn_end": "true",
    "agent_loop.model_tools.retrieve": "true",
    "agent_loop.model_tools.update": "true",
    "agent_loop.recall.form": "text",
    "agent_loop.recall.budget": "6000",
}


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="harbor")


def shown(browser: Client, url: str = URL) -> str:
    return unescape(browser.get(url).content.decode())


def test_the_page_has_every_setting_of_the_loop_as_it_holds(browser: Client, project: Project) -> None:
    page = shown(browser)

    assert set(settings_loop.wanted()) == {
        *(policy.key(group, name) for group, names in policy.SWITCHES.items() for name in names),
        *(policy.key("recall", name) for name in ("form", "every_step", "budget")),
    }
    on = re.findall(r'<input type="checkbox" id="[^"]+" name="([^"]+)" value="true" checked', page)
    assert sorted(on) == sorted(key for key, value in DEFAULTS.items() if value == "true")
    assert re.search(r'name="agent_loop\.recall\.budget" value="6000"', page)
    assert '<option value="text" selected>' in page


def test_what_is_saved_for_a_project_holds_for_it(browser: Client, project: Project) -> None:
    sent = DEFAULTS | {"agent_loop.store.tool_result": "true", "agent_loop.recall.form": "json"}
    del sent["agent_loop.store.turn_end"]

    assert browser.post(f"{URL}?project=harbor", sent).status_code == 302

    own, other = policy.of(project), policy.of(None)
    assert own.on ^ other.on == {("store", "turn_end"), ("store", "tool_result")}
    assert (own.recall.is_text, other.recall.is_text) == (False, True)
    assert Setting.objects.count() == 3


def test_what_cannot_be_is_refused_and_nothing_saved(browser: Client, project: Project) -> None:
    response = browser.post(URL, DEFAULTS | {"agent_loop.recall.budget": "much"})

    assert response.status_code == 422
    assert "use a whole number" in response.content.decode()
    assert not Setting.objects.exists()


def test_whoever_may_only_read_changes_nothing(client: Client, guest: User, project: Project) -> None:
    client.force_login(guest)

    assert client.post(URL, DEFAULTS).status_code == 403
    assert '<fieldset class="plain stack" disabled>' in client.get(URL).content.decode()
