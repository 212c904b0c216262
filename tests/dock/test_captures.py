"""The outbox of captured turns as a list, and trying one again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import refs
from memory.models import AuditEntry, Capture, Session
from tests.memory.engram.makers import make_session

LIST = "/dock/captures/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


def make_capture(turn: int = 1, *, session: str = "s1", project: str = "harbor", **over: Any) -> Capture:
    """Put a turn into the outbox, each a minute after the one before."""
    owner = Session.objects.filter(key=session).first() or make_session(session, project=project)
    now = timezone.now()
    values: dict[str, Any] = {
        "project": owner.project,
        "session": owner,
        "platform": "dsh",
        "turn": str(turn),
        "question": f"Question {turn}?",
        "occurred_at": now - timedelta(hours=2) + timedelta(minutes=turn),
        "next_attempt_at": now,
    }
    return Capture.objects.create(**values | over)


def retry_url(row: Capture, query: str = "") -> str:
    return f"{LIST}{row.pk}/retry/{query}"


def titles(answer: object) -> list[str]:
    return [row.title for row in answer.context["page"].rows]  # type: ignore[attr-defined]


def test_lists_turns_the_latest_first_with_their_states_and_reasons(browser: Client) -> None:
    make_capture(1, state="skipped", reason="The turn has no answer.")
    make_capture(2, state="unavailable", reason="there is no summarizer named x", written_at=timezone.now())
    make_capture(3, attempts=2, reason="it took longer than 60 s", next_attempt_at=timezone.now())
    answer = browser.get(LIST)
    assert titles(answer) == ["Question 3?", "Question 2?", "Question 1?"]
    told = answer.content.decode()
    for words in ("The turn has no answer.", "there is no summarizer named x", "failed 2 times, next try"):
        assert words in told
    assert [bool(row.retry_url) for row in answer.context["page"].rows] == [False, True, True]


def test_filters_by_state_and_project_and_counts_them(browser: Client) -> None:
    make_capture(1), make_capture(2, state="skipped"), make_capture(3, session="g1", project="gate", state="skipped")
    assert titles(browser.get(LIST, {"state": "skipped"})) == ["Question 3?", "Question 2?"]
    found = browser.get(LIST, {"state": "skipped", "project": "harbor"})
    assert titles(found) == ["Question 2?"]
    counts = {tab.label: tab.count for tab in found.context["page"].tabs}
    assert (counts["All"], counts["Queued"], counts["Skipped"]) == (2, 1, 1)
    assert titles(browser.get(LIST, {"state": "lost", "cursor": "%", "capture": "x"})) == [
        "Question 3?",
        "Question 2?",
        "Question 1?",
    ]
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404


def test_the_ref_of_a_capture_leads_to_its_row(browser: Client) -> None:
    make_capture(1)
    row = make_capture(2)
    answer = browser.get(refs.url(refs.capture(row)))
    assert titles(answer) == ["Question 2?"]
    assert f'id="capture-{row.pk}"' in answer.content.decode()


def test_tries_a_turn_again_and_stays_where_it_was(browser: Client, owner: User) -> None:
    row = make_capture(state="skipped", reason="No.")
    [shown] = browser.get(LIST, {"state": "skipped", "project": "harbor"}).context["page"].rows
    answer = browser.post(shown.retry_url)
    assert answer["Location"] == f"{LIST}?project=harbor&state=skipped"
    assert [str(message) for message in get_messages(answer.wsgi_request)] == ["The turn is queued again."]
    row.refresh_from_db()
    assert (row.state, row.reason) == ("queued", "")
    assert AuditEntry.objects.get(action="capture.retried").actor == owner


def test_trying_again_twice_is_harmless(browser: Client) -> None:
    row = make_capture(state="skipped")
    browser.post(retry_url(row))
    answer = browser.post(retry_url(row))
    assert "This turn is queued; there is nothing to try again." in str(list(get_messages(answer.wsgi_request))[-1])


def test_returns_to_the_session_that_asked(browser: Client) -> None:
    row = make_capture(session="a/b?", state="skipped")
    [shown] = browser.get("/dock/sessions/~YS9iPw/", {"view": "turns"}).context["page"].part.captures
    assert browser.post(shown.retry_url)["Location"] == f"/dock/sessions/~YS9iPw/?view=turns#capture-{row.pk}"


def test_only_who_may_change_captures_does(client: Client, guest: User) -> None:
    row = make_capture(state="skipped")
    client.force_login(guest)
    assert client.post(retry_url(row)).status_code == 403
    assert client.get(LIST).context["page"].rows[0].retry_url == ""


def test_a_retry_is_posted_and_only_for_what_is_there(browser: Client) -> None:
    row = make_capture()
    assert browser.get(retry_url(row)).status_code == 405
    assert browser.post(LIST).status_code == 405
    assert browser.post(f"{LIST}{row.pk + 1}/retry/").status_code == 404
    assert browser.post(f"{LIST}{2**70}/retry/").status_code == 404


def test_says_what_the_summaries_of_a_day_took(browser: Client) -> None:
    for turn, cost in ((1, "0.0021"), (2, "1.5")):
        make_capture(
            turn,
            state="written",
            summarizer="openai",
            model="m-1",
            input_tokens=1000,
            output_tokens=50,
            cost_usd=cost,
            written_at=timezone.now(),
        )
    page = browser.get(LIST).context["page"]
    [day] = page.usage
    assert (day.summaries, day.tokens, day.cost) == (2, 2100, "$1.50")
    assert [row.how for row in page.rows] == ["by m-1, 1,050 tokens, $1.50", "by m-1, 1,050 tokens, $0.0021"]


def test_health_leads_here_and_counts(browser: Client) -> None:
    make_capture(1), make_capture(2, state="unavailable")
    answer = browser.get("/dock/health/")
    assert (answer.context["page"].captures.waiting, answer.context["page"].captures.unavailable) == (1, 1)
    assert f'href="{LIST}"' in answer.content.decode()


def test_pages_without_losing_or_repeating_a_turn(browser: Client) -> None:
    for turn in range(60):
        make_capture(turn)
    first = browser.get(LIST)
    second = browser.get(first.context["page"].next_url)
    assert titles(first) + titles(second) == [f"Question {turn}?" for turn in reversed(range(60))]


@pytest.mark.parametrize("field", ["question", "reason", "turn", "platform", "model"])
def test_what_agents_deliver_stays_text(browser: Client, field: str) -> None:
    make_capture(state="skipped", summarizer="x")
    Capture.objects.update(**{field: SCRIPT})
    assert "<script>alert" not in browser.get(LIST).content.decode()


def test_answers_htmx_with_the_rows_alone(browser: Client) -> None:
    make_capture()
    told = browser.get(LIST, headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="rows"') and "<html" not in told


def test_asks_the_database_the_same_for_one_row_and_for_twenty(browser: Client) -> None:
    counts = []
    for turns in (range(1), range(1, 20)):
        for turn in turns:
            make_capture(turn, session=f"s{turn}")
        with CaptureQueriesContext(connection) as queries:
            browser.get(LIST)
        counts.append(len(queries))
    assert counts[0] == counts[1]
