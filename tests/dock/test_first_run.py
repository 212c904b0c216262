"""The first steps, and which of them are done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.configuration import memsearch
from memory.models import Setting
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.configuration.conftest import home

__all__ = ["home"]  # a fixture, used by name

FIRST_RUN = "/dock/first-run/"
CHOOSE = "/dock/settings/configuration/capture.summarizer/"

pytestmark = pytest.mark.django_db


def steps(page: str) -> dict[str, str]:
    """Return what each step is: done, current or ""."""
    found = re.findall(r'<li class="step"([^>]*)>\s*<div class="stack-sm"><h2>([^<]+)', page)
    words = {" data-done": "done", ' aria-current="step"': "current", "": ""}
    return {title: words[marks] for marks, title in found}


def test_the_live_page_is_the_first_steps_while_there_is_nothing(browser: Client) -> None:
    live, page = (browser.get(url).content.decode() for url in ("/dock/", FIRST_RUN))

    assert steps(live) == steps(page)
    assert list(steps(page).values()) == ["done", "current", "", "", ""]
    assert 'action="/dock/projects/add/"' in page


def test_each_step_is_marked_when_it_is_done(browser: Client, home: Path, tree: Path) -> None:
    make_project(make_tree(tree))
    assert list(steps(browser.get(FIRST_RUN).content.decode()).values()) == ["done", "done", "current", "", ""]

    (home / ".config" / "opencode").mkdir(parents=True)
    (home / ".config" / "opencode" / "opencode.json").write_text(
        '{"mcp": {"memdock": {"type": "local", "command": ["memdock", "mcp"]}}}'
    )
    page = browser.get(FIRST_RUN).content.decode()
    assert list(steps(page).values()) == ["done", "done", "done", "current", ""]
    assert "OpenCode" in page

    Setting.objects.create(project=None, key="capture.summarizer", value="auto")
    assert list(steps(browser.get(FIRST_RUN).content.decode()).values())[3:] == ["done", "current"]

    make_project(make_tree(tree.parent / "quay", {"2026-01-15": make_entry_text()}))
    page = browser.get(FIRST_RUN).content.decode()
    assert set(steps(page).values()) == {"done"}
    assert "All five steps are done." in page


@pytest.mark.parametrize("choice", ["extractive", "auto"])
def test_a_summarizer_is_chosen_on_the_spot(browser: Client, choice: str) -> None:
    page = browser.get(FIRST_RUN).content.decode()
    assert "Free, offline and always the same" in page
    assert "dsh CLI not found; set DSH_CLI or install dsh on PATH" in page

    response = browser.post(CHOOSE, {"capture.summarizer": choice, "from": "first-run"})

    assert response["Location"] == FIRST_RUN
    assert memsearch.effective().text("capture.summarizer") == choice
    assert steps(browser.get(FIRST_RUN).content.decode())["Choose who writes the summaries"] == "done"


def test_a_guest_is_told_who_can_do_what(client: Client, guest: User) -> None:
    client.force_login(guest)
    page = client.get(FIRST_RUN).content.decode()

    assert "The owner of this MemDock chooses." in page
    assert "Ask the owner of this MemDock to add it" in page
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
    assert client.post(FIRST_RUN).status_code == 405
