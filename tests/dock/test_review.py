"""Memories whose review is due."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.models import AuditEntry, Observation
from tests.memory.engram.makers import make_observation, make_session

LIST = "/dock/review/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


def make_due(days: int = 1, *, title: str = "", session: str = "s1") -> Observation:
    row = make_observation(title or f"Due {days}", type="decision", session_id=session)
    Observation.objects.filter(pk=row.pk).update(review_after=timezone.now() - timedelta(days=days))
    row.refresh_from_db()
    return row


def url(row: Observation, act: str) -> str:
    return f"{LIST}{row.pk}/{act}/"


def told(answer: object) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


def test_lists_what_is_due_the_longest_overdue_first(browser: Client) -> None:
    make_due(3), make_due(9), make_due(6)
    make_observation("Not due", type="decision")
    assert [row.title for row in browser.get(LIST).context["page"].rows] == ["Due 9", "Due 6", "Due 3"]


def test_marks_one_as_good_and_goes_on_to_the_next(browser: Client, owner: User) -> None:
    first, second, third = make_due(9), make_due(6), make_due(3)
    answer = browser.post(url(second, "reviewed"))
    assert answer["Location"] == f"{LIST}#due-{third.pk}"
    assert told(answer)[0].startswith("“Due 6” is reviewed, and again on ")
    second.refresh_from_db()
    assert second.review_after is not None and second.review_after > timezone.now() + timedelta(days=150)
    assert AuditEntry.objects.get(action="observation.reviewed").actor == owner
    assert browser.post(url(third, "reviewed"))["Location"] == f"{LIST}#due-{first.pk}"
    assert browser.post(url(first, "reviewed"))["Location"] == LIST
    assert "Nothing is due" in browser.get(LIST).content.decode()


def test_marking_twice_is_harmless(browser: Client) -> None:
    row = make_due()
    for _ in range(2):
        assert browser.post(url(row, "reviewed")).status_code == 302
    assert not Observation.objects.due(timezone.now()).exists()


def test_moves_one_to_the_trash_and_offers_it_back(browser: Client) -> None:
    row, other = make_due(2), make_due(1)
    answer = browser.post(url(row, "delete"))
    assert answer["Location"] == f"{LIST}#due-{other.pk}"
    [message] = get_messages(answer.wsgi_request)
    assert str(message) == "“Due 2” is in the trash."
    assert message.extra_tags is not None
    browser.post(message.extra_tags)
    assert Observation.objects.live().filter(pk=row.pk).exists()


def test_deleting_twice_is_harmless(browser: Client) -> None:
    row = make_due()
    browser.post(url(row, "delete"))
    assert told(browser.post(url(row, "delete")))[-1] == "This memory is in the trash already."


def test_keeps_to_the_project_of_the_list(browser: Client) -> None:
    make_session("g1", project="gate")
    make_due(5)
    one, other = make_due(4, session="g1"), make_due(2, session="g1")
    page = browser.get(LIST, {"project": "gate"}).context["page"]
    assert [row.title for row in page.rows] == ["Due 4", "Due 2"]
    assert browser.post(page.rows[0].mark_url)["Location"] == f"{LIST}?project=gate#due-{other.pk}"
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404
    assert one.pk != other.pk


def test_only_who_may_change_memories_does(client: Client, guest: User) -> None:
    row = make_due()
    client.force_login(guest)
    for act in ("reviewed", "delete"):
        assert client.post(url(row, act)).status_code == 403
    [shown] = client.get(LIST).context["page"].rows
    assert (shown.mark_url, shown.edit_url, shown.delete_url) == ("", "", "")


def test_acts_are_posted_and_only_on_what_is_there(browser: Client) -> None:
    row = make_due()
    for act in ("reviewed", "delete"):
        assert browser.get(url(row, act)).status_code == 405
        assert browser.post(f"{LIST}{row.pk + 1}/{act}/").status_code == 404
    assert browser.post(LIST).status_code == 405


def test_pages_without_losing_or_repeating_one(browser: Client) -> None:
    for day in range(1, 61):
        make_due(day)
    first = browser.get(LIST).context["page"]
    second = browser.get(first.next_url).context["page"]
    assert [row.title for row in first.rows + second.rows] == [f"Due {day}" for day in range(60, 0, -1)]
    assert browser.get(second.previous_url).context["page"].rows == first.rows
    assert browser.get(LIST, {"cursor": "%%"}).context["page"].rows == first.rows


def test_what_agents_write_stays_text(browser: Client) -> None:
    make_due(title=SCRIPT)
    assert "<script>alert" not in browser.get(LIST).content.decode()


def test_answers_htmx_with_the_rows_alone(browser: Client) -> None:
    make_due()
    answer = browser.get(LIST, headers=HTMX).content.decode()
    assert answer.strip().startswith('<div id="rows"') and "<html" not in answer


def test_asks_the_database_the_same_for_one_row_and_for_twenty(browser: Client) -> None:
    counts = []
    for days in (range(1, 2), range(2, 21)):
        for day in days:
            make_due(day)
        with CaptureQueriesContext(connection) as queries:
            browser.get(LIST)
        counts.append(len(queries))
    assert counts[0] == counts[1]
