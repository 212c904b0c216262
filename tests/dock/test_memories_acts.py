"""What a person does to one memory: edit, pin, delete and take back, restore a version."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.messages import get_messages
from django.test import Client
from django.utils import timezone

from memory.audit import COMMAND
from memory.engram import curation, observations
from memory.engram.observations import Edit
from memory.models import AuditEntry, Observation
from tests.memory.engram.makers import make_observation, told

URL = "/dock/memories/"
NOW = timezone.now()
TEXT = "Leases last 30 s.\nThey are in Redis."


@pytest.fixture
def row(db: None) -> Observation:
    return make_observation("Leases", content=TEXT, type="decision", at=NOW - timedelta(hours=1))


def url_of(row: Observation, act: str = "") -> str:
    return f"{URL}{row.pk}/{act}{'/' if act else ''}"


def said(answer: object) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


def undo_url(answer: object) -> str:
    """Return where the Undo button of the answer's message posts to."""
    (message,) = get_messages(answer.wsgi_request)  # type: ignore[attr-defined]
    return str(message.extra_tags)


def form(row: Observation, **over: object) -> dict[str, object]:
    """Return the form as a browser sends it."""
    names = ("type", "title", "content", "scope", "topic_key")
    filled = {name: getattr(row, name) for name in names} | {"revision": row.revision_count, "reason": ""} | over
    return filled | {"content": str(filled["content"]).replace("\n", "\r\n")}


WRITES = ["edit", "pin", "delete", "restore", "unmerge", "versions/1/restore"]


@pytest.mark.parametrize("act", [act for act in WRITES if act != "edit"])
def test_acts_are_posted(browser: Client, row: Observation, act: str) -> None:
    assert browser.get(url_of(row, act)).status_code == 405


@pytest.mark.parametrize("act", WRITES)
def test_acts_need_a_permission(client: Client, guest: User, row: Observation, act: str) -> None:
    client.force_login(guest)
    assert client.post(url_of(row, act), form(row, title="x")).status_code == 403
    assert told()[1:] == [("observation.saved", f"observation:{row.pk}")]


@pytest.mark.parametrize("act", WRITES)
def test_strangers_are_sent_to_sign_in(client: Client, row: Observation, act: str) -> None:
    answer = client.post(url_of(row, act), form(row, title="x"))
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/dock/sign-in/")


@pytest.mark.parametrize("act", WRITES)
def test_what_is_not_there_is_not_found(browser: Client, db: None, act: str) -> None:
    for pk in (1, 2**70):
        assert browser.post(f"{URL}{pk}/{act}/").status_code == 404


@pytest.mark.parametrize("act", [*WRITES, "../bulk", "../undo", "../merge", "../purge"])
def test_acts_come_from_our_own_pages(browser: Client, row: Observation, act: str) -> None:
    checked = Client(enforce_csrf_checks=True)
    checked.cookies = browser.cookies
    url = f"{URL}{act[3:]}/" if act.startswith("..") else url_of(row, act)
    assert checked.post(url).status_code == 403


def test_an_edit_is_saved_with_its_reason_and_keeps_what_was_said(
    browser: Client, owner: User, row: Observation
) -> None:
    assert "They are in Redis." in browser.get(url_of(row, "edit")).content.decode()
    answer = browser.post(url_of(row, "edit"), form(row, title=" Leases, told ", reason="Say it."))
    assert (answer.status_code, answer["Location"]) == (302, url_of(row))
    row.refresh_from_db()
    assert (row.title, row.content, row.revision_count) == ("Leases, told", TEXT, 2)
    version = row.versions.get()
    assert (version.title, version.content, version.replaced_by) == ("Leases", TEXT, "mira")
    entry = AuditEntry.objects.get(action="observation.updated")
    assert (entry.actor, entry.detail["reason"]) == (owner, "Say it.")
    assert told()[-1] == ("observation.updated", f"observation:{row.pk}")


def test_every_field_can_be_edited(browser: Client, row: Observation) -> None:
    wanted = {"type": "policy", "title": "T", "content": "- a\n\n  b", "scope": "global", "topic_key": "a/b"}
    browser.post(url_of(row, "edit"), form(row, **wanted))
    row.refresh_from_db()
    assert {name: getattr(row, name) for name in wanted} == wanted


def test_an_edit_that_changes_nothing_makes_no_version(browser: Client, row: Observation) -> None:
    observations.update(pk=row.pk, edit=Edit(content="a\r\nb"), at=NOW)
    row.refresh_from_db()
    browser.get(url_of(row, "edit"))
    answer = browser.post(url_of(row, "edit"), form(row, content="\na\nb\n"))
    assert said(answer) == ["Nothing was changed."]
    row.refresh_from_db()
    assert (row.content, row.revision_count) == ("a\r\nb", 2)


def test_the_same_edit_twice_is_one(browser: Client, row: Observation) -> None:
    sent = form(row, title="Leases, told")
    assert [browser.post(url_of(row, "edit"), sent).status_code for _ in range(2)] == [302, 302]
    row.refresh_from_db()
    assert row.revision_count == 2


def test_a_stale_edit_shows_both_texts_and_keeps_the_persons(browser: Client, row: Observation) -> None:
    sent = form(row, content="Leases last 90 s.\nThey are in Redis.", reason="Measured.")
    observations.update(pk=row.pk, edit=Edit(content="Leases last 60 s.\nThey are in Redis."), at=NOW)
    answer = browser.post(url_of(row, "edit"), sent)
    page, text = answer.context["page"], answer.content.decode()
    assert answer.status_code == 409
    assert "<del>60</del>" in text
    assert "<ins>90</ins>" in text
    assert "Leases last 90 s." in text.partition("<textarea")[2]
    assert 'value="Measured."' in text
    row.refresh_from_db()
    assert row.content.startswith("Leases last 60")
    again = browser.post(url_of(row, "edit"), sent | {"revision": page.revision})
    assert again.status_code == 302
    row.refresh_from_db()
    assert (row.content, row.revision_count) == ("Leases last 90 s.\nThey are in Redis.", 3)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"title": "  "}, "A memory needs a title."),
        ({"content": ""}, "A memory needs a text."),
        ({"content": "é" * 30_000}, "The text has 60,000 bytes; a memory holds 50,000."),
        ({"content": " \n "}, "A memory needs a text."),
        ({"type": ""}, "A memory needs a type."),
        ({"title": "a\0b"}, "Null characters are not allowed."),
        ({"scope": "world"}, "Select a valid choice"),
        ({"revision": "x"}, ""),
    ],
)
def test_what_is_wrong_with_an_edit_is_said_and_nothing_is_lost(
    browser: Client, row: Observation, wrong: dict[str, str], words: str
) -> None:
    answer = browser.post(url_of(row, "edit"), form(row, reason="kept", **wrong))
    assert answer.status_code == 422
    text = answer.content.decode()
    assert words in text
    assert 'value="kept"' in text
    row.refresh_from_db()
    assert row.revision_count == 1


def test_what_is_marked_as_private_is_not_stored(browser: Client, row: Observation) -> None:
    browser.post(
        url_of(row, "edit"), form(row, content="Known.\n<private>the word xyzzy</private>", title="<private>x")
    )
    row.refresh_from_db()
    assert "xyzzy" not in f"{row.content} {row.title}"
    assert "Known." in row.content


def test_what_is_in_the_trash_is_not_edited(browser: Client, row: Observation) -> None:
    observations.delete(pk=row.pk, at=NOW)
    for act in ("edit", "pin", "versions/1/restore", "unmerge"):
        assert browser.post(url_of(row, act), form(row, title="x")).status_code == 404


def test_pins_and_unpins_and_twice_is_harmless(browser: Client, owner: User, row: Observation) -> None:
    for pinned, kind in (("1", "observation.pinned"), ("0", "observation.unpinned")):
        for _ in range(2):
            assert browser.post(url_of(row, "pin"), {"pinned": pinned})["Location"] == url_of(row)
        row.refresh_from_db()
        assert row.is_pinned is (pinned == "1")
        assert AuditEntry.objects.filter(action=kind, actor=owner).count() == 1
        assert [one for one, _ in told()].count(kind) == 1


def test_deletes_with_a_reason_and_undo_brings_back(browser: Client, row: Observation) -> None:
    answer = browser.post(url_of(row, "delete"), {"reason": "Wrong since May."})
    assert answer["Location"] == f"{URL}?project=harbor"
    assert AuditEntry.objects.get(action="observation.deleted").detail == {"reason": "Wrong since May."}
    assert told()[-1] == ("observation.deleted", f"observation:{row.pk}")
    page = browser.get(answer["Location"]).content.decode()
    assert "“Leases” is in the trash." in page
    url = undo_url(answer)
    assert url.replace("&", "&amp;") in page
    back = browser.post(url)
    assert back["Location"] == url_of(row)
    row.refresh_from_db()
    assert row.deleted_at is None
    assert said(browser.post(url))[-1] == "There is nothing left to bring back."


def test_deleting_twice_is_harmless(browser: Client, row: Observation) -> None:
    browser.post(url_of(row, "delete"))
    row.refresh_from_db()
    before = row.deleted_at
    assert said(browser.post(url_of(row, "delete")))[-1] == "This memory is in the trash already."
    row.refresh_from_db()
    assert row.deleted_at == before


def test_undo_is_offered_only_to_whoever_may(client: Client, guest: User, row: Observation) -> None:
    guest.user_permissions.add(Permission.objects.get(codename="delete_observation"))
    client.force_login(guest)
    answer = client.post(url_of(row, "delete"))
    assert undo_url(answer) == ""
    row.refresh_from_db()
    assert row.deleted_at
    assert client.post(f"{URL}undo/?at={row.deleted_at.isoformat()}").status_code == 403


@pytest.mark.parametrize("at", ["", "x", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00+00:00", "+00:00"])
def test_an_undo_of_no_moment_does_nothing(browser: Client, row: Observation, at: str) -> None:
    observations.delete(pk=row.pk, at=NOW)
    answer = browser.post(f"{URL}undo/", query_params={"at": at})
    assert (answer.status_code, answer["Location"]) == (302, URL)
    row.refresh_from_db()
    assert row.deleted_at


def test_undo_is_posted_and_asks_who_is_there(browser: Client, db: None) -> None:
    assert browser.get(f"{URL}undo/").status_code == 405
    assert Client().post(f"{URL}undo/").status_code == 302


def test_restores_from_the_trash_and_twice_is_harmless(browser: Client, owner: User, row: Observation) -> None:
    observations.delete(pk=row.pk, at=NOW)
    for _ in range(2):
        assert browser.post(url_of(row, "restore"))["Location"] == url_of(row)
    row.refresh_from_db()
    assert row.deleted_at is None
    assert AuditEntry.objects.filter(action="observation.restored", actor=owner).count() == 1


def test_restores_a_version_and_twice_is_harmless(browser: Client, row: Observation) -> None:
    observations.update(pk=row.pk, edit=Edit(content="Something else."), at=NOW)
    page = browser.get(url_of(row), {"view": "versions"}).context["page"]
    for _ in range(2):
        assert browser.post(page.reading.versions.restore_url)["Location"] == url_of(row)
    row.refresh_from_db()
    assert (row.content, row.revision_count) == (TEXT, 3)
    assert [version.content for version in row.versions.order_by("number")] == [TEXT, "Something else."]
    assert browser.post(url_of(row, "versions/9/restore")).status_code == 404


def test_takes_back_a_merge_and_twice_is_harmless(browser: Client, row: Observation) -> None:
    other = make_observation("Lease times", content="They are renewed.")
    curation.merge(into=row.pk, others=[other.pk], actor=COMMAND, at=NOW)
    assert "Merged into this one" in browser.get(url_of(row)).content.decode()
    assert "It was merged into" in browser.get(url_of(other)).content.decode()
    assert said(browser.post(url_of(row, "unmerge"))) == ["The merge was taken back."]
    row.refresh_from_db()
    other.refresh_from_db()
    assert (row.content, other.deleted_at) == (TEXT, None)
    assert said(browser.post(url_of(row, "unmerge")))[-1] == "There is no merge to take back."
