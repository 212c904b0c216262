"""The page of a conversation: turns in pages, tools folded, and reasons where there is nothing to show."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from memory.models import Entry, Project, Session
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.transcripts.homes import Home, make
from tests.places import FIXTURES

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Home:
    if not FIXTURES.is_dir():
        pytest.skip("the generator of conversations is not here")
    return make(tmp_path_factory.mktemp("agents") / "out", "--bulk", "30")


@pytest.fixture
def remembered(made: Home, settings: Settings) -> Project:
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {name: [str(root) for root in roots] for name, roots in made.roots.items()}
    settings.TIME_ZONE = "UTC"
    return make_project(made.folder / "project")


def of(entry: Entry) -> str:
    return f"/dock/entries/{entry.pk}/transcript/"


def long_one(project: Project) -> Entry:
    """Return the last entry of a conversation of thirty turns."""
    return project.entries.filter(platform="codex", session__title__contains="Question 0").order_by("-pk")[0]


def test_pages_lead_through_the_whole_conversation_and_back(remembered: Project, browser: Client) -> None:
    entry = long_one(remembered)
    page = browser.get(of(entry)).context["page"]
    assert page.turns[-1].is_asked
    assert page.next_url == ""
    numbers = [turn.number for turn in page.turns]
    while page.previous_url:
        page = browser.get(page.previous_url).context["page"]
        numbers = sorted({turn.number for turn in page.turns} | set(numbers))
    assert numbers == list(range(1, 31))
    seen = [turn.number for turn in page.turns]
    while page.next_url:
        page = browser.get(page.next_url).context["page"]
        seen += [turn.number for turn in page.turns]
    assert seen == list(range(1, 31))
    assert browser.get(page.asked_url).context["page"].turns[-1].is_asked


def test_a_session_shows_its_last_turns_and_leads_back(remembered: Project, browser: Client) -> None:
    session = long_one(remembered).session
    assert session
    here = f"/dock/sessions/{session.key}/"
    assert f'href="{here}transcript/"' in browser.get(here).content.decode()
    page = browser.get(f"{here}transcript/").context["page"]
    assert page.turns[-1].number == 30
    assert not any(turn.is_asked for turn in page.turns)
    assert page.record_url == here
    assert browser.get(page.previous_url).context["page"].turns[-1].number == page.turns[0].number - 1


def test_calls_of_tools_are_folded(remembered: Project, browser: Client) -> None:
    for entry in remembered.entries.filter(platform="claude-code")[:6]:
        answer = browser.get(of(entry))
        calls = [tool for turn in answer.context["page"].turns for tool in turn.tools]
        page = answer.content.decode()
        assert page.count('<details class="call">') == len(calls)
        assert "<details open" not in page
        assert all(len(tool.output) < 9000 and len(tool.hint) <= 120 for tool in calls)
    assert calls


@pytest.mark.parametrize("skip", ["-1", "x", "1.5", "9" * 30, "", "\0"])
def test_a_place_that_is_none_shows_the_turn_of_the_entry(remembered: Project, browser: Client, skip: str) -> None:
    assert browser.get(of(long_one(remembered)), {"skip": skip}).context["page"].turns[-1].is_asked


def test_a_place_behind_the_end_says_how_many_there_are(remembered: Project, browser: Client) -> None:
    page = browser.get(of(long_one(remembered)), {"skip": "5000"})
    assert page.context["page"].turns == []
    assert "0 of 30 turns" in page.content.decode()
    assert "own turn</a>" in page.content.decode()


def test_reasons_are_said_in_words(tree: Path, browser: Client) -> None:
    text = make_entry_text(session="<b>x</b>/%", body="- <script>alert(1)</script>")
    make_project(make_tree(tree, {"2026-01-05": text}))
    entry, session = Entry.objects.get(), Session.objects.get()
    listed = browser.get("/dock/sessions/").context["page"].rows[0].url
    for url in (of(entry), f"{listed}transcript/"):
        page = browser.get(url)
        assert page.status_code == 200
        assert "The conversation cannot be shown" in page.content.decode()
        assert page.context["page"].reason
        assert "<script>alert" not in page.content.decode()
    assert session.platform


@pytest.mark.parametrize("url", ["/dock/entries/1/transcript/", "/dock/sessions/s1/transcript/"])
def test_what_is_not_there_is_not_found_and_nobody_posts(browser: Client, url: str) -> None:
    assert browser.get(url).status_code == 404
    assert browser.post(url).status_code == 405
