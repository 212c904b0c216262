"""What the search box completes: names of filters, and their values."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.models import Project, Session
from memory.search import index, language
from tests.makers import make_entry_text, make_project, make_tree

URL = "/dock/search/complete/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def indexed(sample: Project) -> Project:
    index.follow()
    return sample


def offered(browser: Client, word: str, **query: str) -> list[str]:
    response = browser.get(URL, {"word": word} | query, headers=HTMX)
    assert response.status_code == 200
    return [one.text for one in response.context["page"]]


def test_offers_the_names_that_begin_so(browser: Client, db: None) -> None:
    assert offered(browser, "pro") == ["project:"]
    assert offered(browser, "pl") == ["platform:"]
    assert offered(browser, "is") == ["is:"]


@pytest.mark.parametrize("word", ["", "p", "lease", "-pro", "Pro", '"pro', "foo:", "foo:bar", "a\0b", "%", "is:pinned"])
def test_leaves_other_words_alone(browser: Client, db: None, word: str) -> None:
    assert offered(browser, word) == []


def test_offers_the_values_that_are_there(browser: Client, indexed: Project) -> None:
    assert set(offered(browser, "kind:")) == {"kind:entry", "kind:session", "kind:skill", "kind:document"}
    assert offered(browser, "kind:ski") == ["kind:skill"]
    assert "platform:codex" in offered(browser, "platform:")
    codes = offered(browser, "platform:CODE")
    assert codes[0] == "platform:codex"  # those that begin so come first
    assert set(codes) == {"platform:codex", "platform:opencode", "platform:claude-code"}
    assert offered(browser, "project:") == ["project:harbor-api"]
    assert offered(browser, "since:")[:2] == ["since:today", "since:yesterday"]
    assert offered(browser, "is:") == ["is:pinned"]
    key = Session.objects.order_by("pk")[0].key
    assert offered(browser, f"session:{key[:8]}")[0] == f"session:{key}"


def test_offers_nothing_more_for_a_word_that_is_complete(browser: Client, indexed: Project) -> None:
    assert offered(browser, "kind:skill") == []


def test_keeps_to_the_chosen_project(browser: Client, indexed: Project, tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "empty", {"2026-01-05": "### 09:00\n- By hand\n"}))
    index.follow()
    assert offered(browser, "platform:", project="empty") == []
    assert offered(browser, "kind:", project="empty") == ["kind:entry"]


def test_whatever_is_offered_is_understood(browser: Client, indexed: Project, tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "odd"), name="two words")
    for name in ("project", "kind", "platform", "since", "until", "is"):
        for text in offered(browser, f"{name}:"):
            assert language.parse(text).words == "", text
    assert offered(browser, 'project:"two w') == ['project:"two words"']


def test_shows_hostile_values_as_text(browser: Client, tmp_path: Path) -> None:
    session = "<img src=x onerror=alert(1)>"
    make_project(make_tree(tmp_path / "odd", {"2026-01-05": make_entry_text(session=session)}))
    page = browser.get(URL, {"word": "session:<img"}, headers=HTMX).content.decode()
    assert "&lt;img src=x" in page
    assert "<img" not in page


@pytest.mark.parametrize("word", ["pro", "kind:", "project:", "session:", "since:"])
def test_costs_at_most_one_query(browser: Client, indexed: Project, word: str) -> None:
    browser.get(URL, headers=HTMX)
    with CaptureQueriesContext(connection) as none:
        offered(browser, "lease")
    with CaptureQueriesContext(connection) as some:
        offered(browser, word)
    assert len(some) <= len(none) + 1


def test_answers_scripts_of_people_who_are_signed_in(client: Client, browser: Client) -> None:
    assert browser.get(URL, {"word": "pro"})["Location"] == "/dock/search/"
    assert browser.post(URL).status_code == 405
    assert offered(browser, "project:" + "x" * 1000) == []
    assert browser.get(URL, {"word": "kind:", "project": "nowhere"}, headers=HTMX).status_code == 404
    browser.logout()
    assert browser.get(URL, {"word": "pro"}, headers=HTMX).status_code == 302
