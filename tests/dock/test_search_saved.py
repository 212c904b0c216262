"""Saved searches: beside the hits, on their own page, in the palette; each person's own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.models import AuditEntry, Project, SavedSearch
from memory.search import saved

URL = "/dock/search/"
PAGE = "/dock/search/saved/"
SAVE = "/dock/search/saved/add/"
PALETTE = "/dock/search/palette/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


def keep(owner: User, name: str = "Leases", query: str = "kind=entry&q=lease") -> SavedSearch:
    return saved.save(owner=owner, name=name, query=query, at=timezone.now())


def rename_url(row: SavedSearch) -> str:
    return f"{PAGE}{row.pk}/rename/"


def delete_url(row: SavedSearch) -> str:
    return f"{PAGE}{row.pk}/delete/"


def told(answer: object) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


def test_saves_what_the_page_asks_and_returns_to_it(browser: Client, owner: User, sample: Project) -> None:
    page = browser.get(URL, {"q": "lease race", "kind": "entry", "sort": "time", "project": "harbor-api"})
    answer = browser.post(page.context["page"].saved.save_url, {"name": "  Lease   races "})
    assert answer.status_code == 302
    assert told(answer) == ["Saved as Lease races."]
    row = SavedSearch.objects.get()
    assert (row.owner, row.name) == (owner, "Lease races")
    again = browser.get(answer["Location"]).context["page"]
    assert again.hits == page.context["page"].hits
    assert (again.saved.current, again.saved.save_url) == ("Lease races", "")
    assert AuditEntry.objects.get(action="saved_search.created", target="Lease races").actor == owner


def test_says_on_the_page_what_is_wrong_with_a_name(browser: Client, owner: User, sample: Project) -> None:
    keep(owner)
    for name, error in (
        ("", "A saved search needs a name."),
        (" \t ", "A saved search needs a name."),
        ("LEASES", "There is a saved search called LEASES already."),
        ("x" * 81, "A name has at most 80 characters, all of them printable."),
        ("a\u200bb", "A name has at most 80 characters, all of them printable."),
    ):
        answer = browser.post(f"{SAVE}?q=outbox", {"name": name})
        assert answer.status_code == 422
        assert answer.content.decode().count(error) == 1
        assert answer.context["page"].text == "outbox"
        assert answer.context["page"].hits
    assert SavedSearch.objects.count() == 1


def test_saves_nothing_without_a_question_and_no_endless_one(browser: Client, owner: User) -> None:
    assert "nothing to save" in browser.post(SAVE, {"name": "x"}).content.decode()
    assert "too long" in browser.post(f"{SAVE}?q={'x' * 4001}", {"name": "x"}).content.decode()
    assert not SavedSearch.objects.exists()


def test_keeps_no_more_than_a_menu_holds(browser: Client, owner: User) -> None:
    SavedSearch.objects.bulk_create(
        SavedSearch(owner=owner, name=str(number), query="q=x") for number in range(saved.MOST)
    )
    assert "delete one of them first" in browser.post(f"{SAVE}?q=lease", {"name": "one more"}).content.decode()
    assert SavedSearch.objects.count() == saved.MOST


def test_lists_them_where_nothing_is_asked_and_beside_the_hits(browser: Client, owner: User, sample: Project) -> None:
    keep(owner, "b")
    keep(owner, "A", "q=outbox&sort=time&since=2026-01-01")
    found = browser.get(URL)
    assert [row.name for row in found.context["page"].saved.rows] == ["A", "b"]
    assert found.context["page"].saved.rows[0].words == "outbox · since: 2026-01-01 · newest first"
    assert "Saved searches</h2>" in found.content.decode()
    page = browser.get(URL, {"q": "lease"}).content.decode()
    assert 'href="/dock/search/?kind=entry&amp;q=lease"' in page


def test_renames_and_says_what_is_wrong_at_its_row(browser: Client, owner: User) -> None:
    row = keep(owner)
    keep(owner, "Outbox")
    answer = browser.post(rename_url(row), {"name": "Berth leases"})
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert told(answer) == ["Leases is called Berth leases now."]
    assert AuditEntry.objects.get(action="saved_search.renamed").detail == {"before": "Leases"}
    refused = browser.post(rename_url(row), {"name": "outbox"})
    assert refused.status_code == 422
    assert refused.content.decode().count("There is a saved search called outbox already.") == 1
    row.refresh_from_db()
    assert row.name == "Berth leases"


def test_may_change_only_the_case_of_a_name(browser: Client, owner: User) -> None:
    row = keep(owner)
    for _ in range(2):
        assert browser.post(rename_url(row), {"name": "LEASES"}).status_code == 302
    row.refresh_from_db()
    assert row.name == "LEASES"
    assert AuditEntry.objects.filter(action="saved_search.renamed").count() == 1


def test_deletes(browser: Client, owner: User) -> None:
    row = keep(owner)
    assert browser.post(delete_url(row)).status_code == 302
    assert not SavedSearch.objects.exists()
    assert AuditEntry.objects.get(action="saved_search.deleted").actor == owner
    assert browser.post(delete_url(row)).status_code == 404
    saved.delete(row, at=timezone.now() + timedelta(seconds=1))
    assert AuditEntry.objects.filter(action="saved_search.deleted").count() == 1


def test_nobody_sees_or_changes_those_of_others(browser: Client, client: Client, owner: User, guest: User) -> None:
    row = keep(owner)
    other = Client()
    other.force_login(guest)
    for url in (URL, PAGE):
        assert "Leases" not in other.get(url).content.decode()
    assert other.get(PALETTE, headers=HTMX).context["page"].saved == []
    assert other.post(rename_url(row), {"name": "mine"}).status_code == 404
    assert other.post(delete_url(row)).status_code == 404
    assert other.post(f"{SAVE}?q=lease", {"name": "Leases"}).status_code == 302  # names are each person's own
    row.refresh_from_db()
    assert row.name == "Leases"


def test_the_palette_offers_all_and_then_those_that_match(browser: Client, owner: User, sample: Project) -> None:
    keep(owner)
    keep(owner, "Outbox", "q=outbox")
    found = browser.get(PALETTE, headers=HTMX)
    assert [row.name for row in found.context["page"].saved] == ["Leases", "Outbox"]
    assert "hidden" not in found.content.decode().partition(">")[0]
    assert [row.name for row in browser.get(PALETTE, {"q": "outb"}, headers=HTMX).context["page"].saved] == ["Outbox"]


def test_names_are_shown_and_not_obeyed(browser: Client, owner: User) -> None:
    keep(owner, SCRIPT, "q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&since=x&project=%00")
    for url in (URL, f"{URL}?q=x", PAGE, PALETTE):
        page = browser.get(url, headers=HTMX if url == PALETTE else {}).content.decode()
        assert "&lt;script&gt;alert" in page
        assert "<script>alert" not in page


def test_the_number_of_queries_does_not_grow_with_them(browser: Client, owner: User) -> None:
    keep(owner, "1")
    with CaptureQueriesContext(connection) as few:
        browser.get(PAGE)
    for number in range(20):
        keep(owner, f"n{number}")
    with CaptureQueriesContext(connection) as many:
        assert len(browser.get(PAGE).context["rows"]) == 21
    assert len(few) == len(many)


@pytest.mark.parametrize("url", [SAVE, f"{PAGE}1/rename/", f"{PAGE}1/delete/"])
def test_changes_are_posted(browser: Client, url: str) -> None:
    assert browser.get(url).status_code == 405
    assert browser.post(PAGE).status_code == 405
    checked = Client(enforce_csrf_checks=True)
    checked.cookies = browser.cookies
    assert checked.post(url, {"name": "x"}).status_code == 403


def test_what_is_not_there_is_not_found(browser: Client, owner: User) -> None:
    for pk in (1, 2**70):
        assert browser.post(f"{PAGE}{pk}/rename/", {"name": "x"}).status_code == 404
    assert browser.post(f"{SAVE}?q=x&project=nowhere", {"name": "x"}).status_code == 404
