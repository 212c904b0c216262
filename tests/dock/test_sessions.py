"""The pages of sessions."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from dock.contexts.sessions_record import length
from memory.models import Project, Session
from tests.makers import make_entry_text, make_project, make_tree

HTMX = {"HX-Request": "true"}
ODD = ["a/b/../c", "100%", "what?#x", "two words", '"it\'s"', "señor", "<img src=x onerror=alert(1)>", "..", "~dGlsZGU"]
LIST = "/dock/sessions/"


def make_sessions(root: Path, count: int, *, day: str = "2026-01-05") -> Project:
    entries = (make_entry_text(f"{9 + n // 60:02}:{n % 60:02}", session=f"s{n:03}") for n in range(count))
    return make_project(make_tree(root, {day: f"# {day}\n\n" + "".join(entries)}))


def page_of(session: str) -> str:
    return reverse("dock:session-detail", args=[session])


def test_lists_every_session_of_the_journals(browser: Client, sample: Project) -> None:
    told = browser.get(LIST).content.decode()
    keys = set(sample.sessions.values_list("key", flat=True))
    assert keys
    assert all(f"<code>{key}</code>" in told for key in keys)


def test_names_the_project_of_a_row_only_among_several(browser: Client, sample: Project) -> None:
    assert "harbor-api · <code>" in browser.get(LIST).content.decode()
    assert "harbor-api · <code>" not in browser.get(LIST, {"project": "harbor-api"}).content.decode()


def test_answers_404_for_a_project_that_is_not_there(browser: Client) -> None:
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404


def test_never_calls_a_session_live_because_its_end_is_missing(browser: Client, tree: Path) -> None:
    make_sessions(tree, 3)
    told = browser.get(LIST).content.decode()
    assert told.count("no recorded end</span>") == 3
    assert "live</span>" not in told


def test_filters_by_state(browser: Client, tree: Path) -> None:
    make_sessions(tree, 3)
    now = timezone.now()
    Session.objects.filter(key="s000").update(last_seen_at=now)
    Session.objects.filter(key="s001").update(ended_at=now, last_seen_at=now)
    found = {state: browser.get(LIST, {"state": state}).context["page"].rows for state in ("live", "ended", "open", "")}
    assert {state: sorted(row.key for row in rows) for state, rows in found.items()} == {
        "live": ["s000"],
        "ended": ["s001"],
        "open": ["s002"],
        "": ["s000", "s001", "s002"],
    }


def test_counts_the_states_of_what_the_other_filters_leave(browser: Client, tree: Path) -> None:
    make_sessions(tree, 3)
    Session.objects.filter(key="s000").update(platform="codex", last_seen_at=timezone.now())
    tabs = browser.get(LIST, {"platform": "codex"}).context["page"].tabs
    assert [(tab.label, tab.count) for tab in tabs] == [("All", 1), ("Live", 1), ("Ended", 0), ("No recorded end", 0)]


def test_keeps_every_filter_in_the_links(browser: Client, sample: Project) -> None:
    filters = {"project": "harbor-api", "platform": "codex", "q": "e"}
    links = [tab.url for tab in browser.get(LIST, filters).context["page"].tabs]
    assert links[1] == "/dock/sessions/?project=harbor-api&q=e&state=live&platform=codex"
    assert browser.get(links[1]).status_code == 200


def test_ignores_a_filter_that_cannot_be_one(browser: Client, tree: Path) -> None:
    make_sessions(tree, 2)
    odd = {"state": "asleep", "q": "a\0b", "platform": "x" * 99, "cursor": "%%%"}
    answer = browser.get(LIST, odd)
    assert answer.status_code == 200
    assert len(answer.context["page"].rows) == 2


def test_finds_sessions_by_title_and_id(browser: Client, tree: Path) -> None:
    day = make_entry_text(session="abc-77", body="- Fixed the tide gauge") + make_entry_text("09:20", session="other")
    make_project(make_tree(tree, {"2026-01-05": day}))
    for text in ("TIDE", "bc-7"):
        assert [row.key for row in browser.get(LIST, {"q": text}).context["page"].rows] == ["abc-77"]


def test_pages_without_losing_or_repeating_a_session(browser: Client, tree: Path) -> None:
    make_sessions(tree, 120)
    seen, url = [], LIST
    while url:
        page = browser.get(url).context["page"]
        seen += [row.key for row in page.rows]
        url = page.next_url
    assert seen == [f"s{n:03}" for n in reversed(range(120))]


def test_asks_the_database_the_same_for_one_row_and_for_twenty(browser: Client, tmp_path: Path) -> None:
    counts = []
    for count in (1, 20):
        make_sessions(tmp_path / f"p{count}", count)
        with CaptureQueriesContext(
            connection,
        ) as told:
            browser.get(LIST, {"project": f"p{count}"})
        counts.append(len(told))
    assert counts[0] == counts[1]


def test_answers_htmx_with_the_rows_alone(browser: Client, sample: Project) -> None:
    told = browser.get(LIST, headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="rows"')
    assert "<html" not in told


def test_answers_a_restore_from_history_with_the_whole_page(browser: Client, sample: Project) -> None:
    assert "<html" in browser.get(LIST, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()


@pytest.mark.parametrize("url", [LIST, "/dock/sessions/s1/"])
def test_asks_strangers_to_sign_in(client: Client, db: None, url: str) -> None:
    answer = client.get(url)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/dock/sign-in/")


@pytest.mark.parametrize("url", [LIST, "/dock/sessions/s1/"])
def test_takes_no_post(browser: Client, url: str) -> None:
    assert browser.post(url).status_code == 405


def test_says_what_fills_an_empty_list(browser: Client) -> None:
    assert "No sessions yet" in browser.get(LIST).content.decode()


@pytest.mark.parametrize("key", ODD)
def test_links_to_sessions_with_odd_ids(browser: Client, tree: Path, key: str) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session=key)}))
    [row] = browser.get(LIST).context["page"].rows
    page = browser.get(row.url)
    assert page.context["page"].key == key
    assert "<img src=x" not in browser.get(LIST).content.decode() + page.content.decode()


def test_shows_the_entries_of_a_session_in_their_order(browser: Client, tree: Path) -> None:
    days = {
        "2026-01-05": make_entry_text("09:10", turn="1", body="- First")
        + make_entry_text("09:30", turn="2", body="- Second"),
        "2026-01-06": make_entry_text("08:00", turn="3", body="- Third")
        + make_entry_text(session="s2", body="- Elsewhere"),
    }
    make_project(make_tree(tree, days))
    page = browser.get(page_of("s1")).context["page"]
    assert [[item.title for item in day.items] for day in page.part.days] == [["First", "Second"], ["Third"]]
    assert [day.date.isoformat() for day in page.part.days] == ["2026-01-05", "2026-01-06"]
    assert page.length == "22 h 50 min"


def test_names_no_day_where_a_session_has_only_one(browser: Client, tree: Path) -> None:
    make_sessions(tree, 1)
    [day] = browser.get(page_of("s000")).context["page"].part.days
    assert day.date is None


def test_says_until_when_a_session_went(browser: Client, tree: Path) -> None:
    text = make_entry_text("09:10") + make_entry_text("11:41", turn="2")
    make_project(make_tree(tree, {"2026-01-05": text}))
    assert "5 Jan 2026, 09:10 to 11:41" in browser.get(page_of("s1")).content.decode()
    Session.objects.update(last_seen_at=timezone.now())
    assert "5 Jan 2026, 09:10 to now" in browser.get(page_of("s1")).content.decode()


def test_pages_a_long_session_oldest_first(browser: Client, tree: Path) -> None:
    text = "".join(make_entry_text(f"{n // 60:02}:{n % 60:02}", turn=str(n), body=f"- Step {n}") for n in range(70))
    make_project(make_tree(tree, {"2026-01-05": text}))
    first = browser.get(page_of("s1")).context["page"]
    second = browser.get(first.later_url).context["page"]
    assert [item.title for item in first.part.turns + second.part.turns] == [f"Step {n}" for n in range(70)]
    assert second.later_url == "" and second.earlier_url


def test_finds_words_inside_a_session(browser: Client, tree: Path) -> None:
    text = make_entry_text(body="- Tide gauge") + make_entry_text("10:00", turn="2", body="- Crane")
    make_project(make_tree(tree, {"2026-01-05": text}))
    assert [item.title for item in browser.get(page_of("s1"), {"q": "CRANE"}).context["page"].part.turns] == ["Crane"]


def test_marks_turns_that_were_written_again(browser: Client, tree: Path) -> None:
    text = (
        make_entry_text(body="- Before") + make_entry_text("10:00", body="- After") + make_entry_text("11:00", turn="2")
    )
    make_project(make_tree(tree, {"2026-01-05": text}))
    assert [item.versions for item in browser.get(page_of("s1")).context["page"].part.turns] == [2, 2, 1]


def test_cuts_a_huge_entry_and_links_to_the_whole(browser: Client, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(body="word " * 2000)}))
    assert "Read the whole entry" in browser.get(page_of("s1")).content.decode()


def test_answers_404_for_an_unknown_session(browser: Client) -> None:
    assert browser.get(page_of("nobody")).status_code == 404


def test_asks_the_database_the_same_for_a_short_and_a_long_session(browser: Client, tree: Path) -> None:
    long = "".join(make_entry_text(f"10:{n:02}", session="long", turn=str(n)) for n in range(40))
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session="short") + long}))
    counts = []
    for key in ("short", "long"):
        with CaptureQueriesContext(connection) as told:
            browser.get(page_of(key))
        counts.append(len(told))
    assert counts[0] == counts[1]


def test_refreshes_a_session_as_a_fragment(browser: Client, tree: Path) -> None:
    make_sessions(tree, 1)
    told = browser.get(page_of("s000"), headers=HTMX | {"HX-Target": "session"}).content.decode()
    assert told.strip().startswith('<div id="session"')
    assert "<html" not in told


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=59), "under a minute"),
        (timedelta(minutes=41), "41 min"),
        (timedelta(hours=2, minutes=31), "2 h 31 min"),
        (timedelta(hours=3), "3 h"),
        (timedelta(days=1, hours=4, minutes=9), "1 day 4 h"),
        (timedelta(seconds=-5), "under a minute"),
    ],
)
def test_says_lengths_in_words(span: timedelta, words: str) -> None:
    assert length(span) == words
