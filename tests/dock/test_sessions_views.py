"""The views of one session: memories, prompts, captured turns, what its agent was told, and how it ended."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dock.forms.sessions import VIEWS
from memory.engram import observations, sessions
from memory.models import Injection, Session
from tests.dock.test_captures import make_capture
from tests.memory.engram.makers import make_observation, make_prompt, make_session

PAGE = "/dock/sessions/s1/"
SCRIPT = '"><script>alert(1)</script>'


def make_told(query: str = "Where are the leases?", **over: object) -> Injection:
    session = Session.objects.get(key="s1")
    return Injection.objects.create(session=session, query=query, at=timezone.now(), **over)


def test_counts_what_there_is_in_each_view(browser: Client) -> None:
    gone = make_observation("Gone", content="x")
    make_observation(), make_prompt(), make_prompt("Why?"), make_capture(), make_told()
    observations.delete(pk=gone.pk, at=timezone.now())
    tabs = browser.get(PAGE).context["page"].tabs
    assert [(tab.label, tab.count) for tab in tabs] == [
        ("Entries", 0),
        ("Memories", 1),
        ("Prompts", 2),
        ("Told to the agent", 1),
        ("Captured turns", 1),
    ]
    assert [browser.get(tab.url).context["page"].view for tab in tabs] == [
        "entries",
        "memories",
        "prompts",
        "told",
        "turns",
    ]


def test_opens_what_there_is_and_stays_there_while_it_grows(browser: Client) -> None:
    make_prompt()
    shown = browser.get(PAGE).context["page"]
    assert (shown.view, len(shown.part.prompts)) == ("prompts", 1)
    make_observation()
    assert browser.get(PAGE).context["page"].view == "memories"
    assert browser.get(shown.url).context["page"].view == "prompts"


def test_every_view_can_be_chosen_where_only_turns_are_held(browser: Client) -> None:
    make_capture()
    shown = browser.get(PAGE).context["page"]
    assert shown.view == "turns"
    assert [browser.get(tab.url).context["page"].view for tab in shown.tabs] == list(VIEWS)


def test_is_called_by_its_first_prompt_until_it_has_a_title(browser: Client) -> None:
    make_prompt("\n## Where are the **leases** kept?\nIn Redis?"), make_prompt("continue")
    title = "Where are the leases kept?"
    assert browser.get("/dock/sessions/").context["page"].rows[0].title == title
    assert browser.get(PAGE).context["page"].title == title
    [day] = browser.get("/dock/").context["page"].days
    [group] = [group for group in day.groups if group.title == title]
    assert [row.title for row in group.rows] == [title]
    sessions.end(id="s1", summary="Moved the leases", at=timezone.now())
    assert browser.get(PAGE).context["page"].title == "Moved the leases"


def test_the_list_says_what_a_session_holds(browser: Client) -> None:
    make_session("s0")
    make_observation(), make_prompt(), make_prompt("Why?")
    rows = {row.key: row.holds for row in browser.get("/dock/sessions/").context["page"].rows}
    assert rows == {"s0": "nothing yet", "s1": "1 memory, 2 prompts"}


def test_shows_the_memories_and_prompts_as_they_came(browser: Client) -> None:
    make_observation("First"), make_observation("Second"), make_prompt("One?"), make_prompt("Two?")
    memories = browser.get(PAGE, {"view": "memories"}).context["page"].part.memories
    assert [row.title for row in memories] == ["First", "Second"]
    assert browser.get(memories[0].url).status_code == 200
    prompts = browser.get(PAGE, {"view": "prompts"}).context["page"].part.prompts
    assert [row.start for row in prompts] == ["One?", "Two?"]
    assert browser.get(prompts[0].url).status_code == 200


def test_shows_what_the_agent_was_told_and_how_sure_it_was(browser: Client) -> None:
    row = make_observation("Leases are in Redis")
    hits = [
        {"ref": f"observation:{row.pk}", "title": "Leases are in Redis", "relevance": 0.799},
        {"ref": "nonsense", "title": "", "relevance": 0.92},
    ]
    make_told(text="1. Leases are in Redis", hits=hits, took_ms=12.4)
    answer = browser.get(PAGE, {"view": "told"})
    [item] = answer.context["page"].part.told
    assert [(hit.title, hit.url, hit.words) for hit in item.hits] == [
        ("Leases are in Redis", f"/dock/memories/{row.pk}/", "Likely 0.79"),
        ("nonsense", "", "Strong 0.92"),
    ]
    assert (item.took, item.characters) == ("12 ms", 22)
    assert "1. Leases are in Redis" in answer.content.decode()


def test_says_why_nothing_was_told(browser: Client) -> None:
    make_session()
    make_told("ok", reason="The question is too short.", took_ms=0.2)
    told = browser.get(PAGE, {"view": "told"}).content.decode()
    assert "nothing told" in told and "The question is too short." in told and "under 1 ms" in told


def test_shows_the_captured_turns_with_their_states(browser: Client) -> None:
    make_capture(1, state="written", summarizer="x"), make_capture(2, state="skipped", reason="No answer.")
    page = browser.get(PAGE, {"view": "turns"}).context["page"]
    assert [(row.title, row.state, bool(row.retry_url)) for row in page.part.captures] == [
        ("Question 1?", "written", False),
        ("Question 2?", "skipped", True),
    ]
    assert page.captured == "1 of 2 turns summarised"


def test_links_a_session_with_what_continues_it(browser: Client) -> None:
    make_session()
    sessions.end(id="s1", summary="## Goal\n\nMove the leases.", at=timezone.now())
    after = make_session(resume=True)
    told = browser.get(PAGE)
    assert "Move the leases." in told.content.decode() and "of its end" in told.content.decode()
    [onward] = told.context["page"].continued_by
    page = browser.get(onward.url).context["page"]
    assert page.key == after.key
    assert page.continues.url == PAGE


@pytest.mark.parametrize("view", ["memories", "prompts", "told", "turns"])
def test_finds_words_in_a_view_and_says_where_there_are_none(browser: Client, view: str) -> None:
    make_observation("Leases"), make_prompt("Leases?"), make_capture(question="Leases?"), make_told("Leases?")
    (
        make_observation("Tides", content="y"),
        make_prompt("Tides?"),
        make_capture(2, question="Tides?"),
        make_told("Tides?"),
    )
    part = browser.get(PAGE, {"view": view, "q": "LEASES"}).context["page"].part
    assert len([*part.memories, *part.prompts, *part.told, *part.captures]) == 1
    empty = browser.get(PAGE, {"view": view, "q": "cranes"})
    assert "Nothing found" in empty.content.decode()
    assert empty.context["page"].clear_url == f"{PAGE}?view={view}"


@pytest.mark.parametrize("view", ["memories", "prompts", "told", "turns"])
def test_says_what_would_fill_an_empty_view(browser: Client, view: str) -> None:
    make_session()
    assert 'class="empty"' in browser.get(PAGE, {"view": view}).content.decode()


@pytest.mark.parametrize("view", ["memories", "prompts", "told", "turns"])
def test_what_agents_write_stays_text(browser: Client, view: str) -> None:
    make_observation(SCRIPT), make_prompt(SCRIPT), make_capture(question=SCRIPT, turn=1)
    make_told(SCRIPT, text=SCRIPT, hits=[{"ref": SCRIPT, "title": SCRIPT, "relevance": 1}])
    sessions.end(id="s1", summary=SCRIPT, at=timezone.now())
    assert "<script>alert" not in browser.get(PAGE, {"view": view}).content.decode()


@pytest.mark.parametrize("view", ["memories", "prompts", "told", "turns"])
def test_pages_and_asks_the_same_for_few_and_many(browser: Client, view: str) -> None:
    counts = []
    for numbers in (range(1), range(1, 60)):
        for number in numbers:
            make_observation(f"Memory {number}", content=f"m{number}"), make_prompt(f"Prompt {number}")
            make_capture(number), make_told(f"Told {number}")
        with CaptureQueriesContext(connection) as queries:
            page = browser.get(PAGE, {"view": view}).context["page"]
        counts.append(len(queries))
    assert counts[0] == counts[1]
    later = browser.get(page.later_url).context["page"]
    assert len(getattr(later.part, "captures" if view == "turns" else view)) == 10
    assert later.view == view


def test_an_unknown_view_shows_the_entries(browser: Client) -> None:
    make_session()
    assert browser.get(PAGE, {"view": "secrets"}).context["page"].view == "entries"
