"""The pages of prompts."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory import refs
from memory.models import AuditEntry, Prompt
from tests.memory.engram.makers import make_prompt, make_session

LIST = "/dock/prompts/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


def starts(answer: object) -> list[str]:
    return [row.start for row in answer.context["page"].rows]  # type: ignore[attr-defined]


def test_lists_prompts_the_latest_first(browser: Client) -> None:
    make_prompt("Where are the\nleases?"), make_prompt("Why Redis?")
    assert starts(browser.get(LIST)) == ["Why Redis?", "Where are the leases?"]


def test_filters_by_words_session_and_project(browser: Client) -> None:
    make_session("g/1?", project="gate")
    make_prompt("Where are the leases?"), make_prompt("Open the gate", session_id="g/1?")
    assert starts(browser.get(LIST, {"q": "LEASES"})) == ["Where are the leases?"]
    assert starts(browser.get(LIST, {"session": "g/1?"})) == ["Open the gate"]
    assert starts(browser.get(LIST, {"project": "gate"})) == ["Open the gate"]
    assert "No prompt fits" in browser.get(LIST, {"q": "tides"}).content.decode()
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404


def test_pages_with_the_filters_in_its_links(browser: Client) -> None:
    for number in range(60):
        make_prompt(f"Question {number:02}")
    first = browser.get(LIST, {"q": "question"})
    second = browser.get(first.context["page"].next_url)
    assert starts(first) + starts(second) == [f"Question {number:02}" for number in reversed(range(60))]


def test_shows_one_prompt_with_where_it_comes_from(browser: Client) -> None:
    row = make_prompt("Read `a` and\n\n**b**, <b>please</b>", source_inbox_id="in-7")
    answer = browser.get(refs.url(f"prompt:{row.pk}"))
    told = answer.content.decode()
    assert "Read `a` and\n\n**b**, &lt;b&gt;please&lt;/b&gt;" in told
    assert "<code>in-7</code>" in told
    assert browser.get(answer.context["page"].session_url).status_code == 200
    assert browser.get(f"{LIST}{row.pk + 1}/").status_code == 404
    assert browser.get(f"{LIST}{2**70}/").status_code == 404


def test_makes_hidden_characters_visible(browser: Client) -> None:
    row = make_prompt("safe\u202etext")
    assert "holds 1 hidden or direction-changing character," in browser.get(f"{LIST}{row.pk}/").content.decode()


def test_deletes_for_good(browser: Client, owner: User) -> None:
    row = make_prompt()
    answer = browser.post(browser.get(f"{LIST}{row.pk}/").context["page"].delete_url)
    assert answer["Location"] == f"{LIST}?project=harbor"
    assert [str(message) for message in get_messages(answer.wsgi_request)] == ["The prompt is deleted."]
    assert not Prompt.objects.exists()
    assert AuditEntry.objects.get(action="prompt.deleted").actor == owner
    assert browser.post(f"{LIST}{row.pk}/delete/").status_code == 404


def test_only_who_may_delete_does(client: Client, guest: User) -> None:
    row = make_prompt()
    client.force_login(guest)
    assert client.post(f"{LIST}{row.pk}/delete/").status_code == 403
    assert client.get(f"{LIST}{row.pk}/").context["page"].delete_url == ""
    assert Prompt.objects.exists()


def test_takes_posts_only_where_something_is_done(browser: Client) -> None:
    row = make_prompt()
    assert browser.post(LIST).status_code == browser.post(f"{LIST}{row.pk}/").status_code == 405
    assert browser.get(f"{LIST}{row.pk}/delete/").status_code == 405


def test_what_people_write_stays_text(browser: Client) -> None:
    row = make_prompt(SCRIPT)
    for address in (LIST, f"{LIST}{row.pk}/"):
        assert "<script>alert" not in browser.get(address).content.decode()


def test_answers_htmx_with_the_rows_alone(browser: Client) -> None:
    make_prompt()
    told = browser.get(LIST, headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="rows"') and "<html" not in told


def test_says_what_fills_an_empty_list(browser: Client) -> None:
    assert "No prompts yet" in browser.get(LIST).content.decode()


def test_asks_the_database_the_same_for_one_row_and_for_twenty(browser: Client) -> None:
    counts = []
    for numbers in (range(1), range(1, 20)):
        for number in numbers:
            make_prompt(f"Question {number}")
        with CaptureQueriesContext(connection) as queries:
            browser.get(LIST)
        counts.append(len(queries))
    assert counts[0] == counts[1]
