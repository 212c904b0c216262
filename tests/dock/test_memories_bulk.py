"""What a person does to many memories at once: pin, delete, bring back, merge, remove for good."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from dock.contexts import memories_chosen
from dock.forms.memories import selection
from memory.engram import observations
from memory.engram.observations import Edit
from memory.jobs import indexing
from memory.models import AuditEntry, Change, Observation, ObservationVersion, SearchDocument, Tombstone
from tests.memory.engram.makers import make_observation, make_session, told

URL = "/dock/memories/"
BULK = f"{URL}bulk/"
MERGE = f"{URL}merge/"
PURGE = f"{URL}purge/"
NOW = timezone.now()


@pytest.fixture
def rows(db: None) -> list[Observation]:
    return [make_observation(f"Rule {number}", type="pattern", at=NOW - timedelta(hours=number)) for number in range(5)]


def pks(rows: Sequence[Observation]) -> list[int]:
    return [row.pk for row in rows]


def said(answer: object) -> str:
    return str(list(get_messages(answer.wsgi_request))[-1])  # type: ignore[attr-defined]


def undo_url(answer: object) -> str:
    return str(list(get_messages(answer.wsgi_request))[-1].extra_tags)  # type: ignore[attr-defined]


def live() -> set[int]:
    return set(Observation.objects.live().values_list("pk", flat=True))


def query(chosen: list[int]) -> str:
    return "&".join(f"pk={pk}" for pk in chosen)


def test_pins_and_unpins_what_is_ticked(browser: Client, owner: User, rows: list[Observation]) -> None:
    for act, words in (("pin", "3 memories are pinned."), ("unpin", "3 memories are not pinned any more.")):
        answer = browser.post(f"{BULK}?type=pattern", {"act": act, "pk": [*pks(rows[:3]), "x", "-1", "9" * 30]})
        assert (answer["Location"], said(answer)) == (f"{URL}?type=pattern", words)
        assert set(Observation.objects.filter(is_pinned=True)) == (set(rows[:3]) if act == "pin" else set())
        assert said(browser.post(BULK, {"act": act, "pk": pks(rows[:3])})) == "Nothing was left to do."
    assert AuditEntry.objects.filter(actor=owner).count() == 6


def test_deletes_what_is_ticked_and_undo_brings_just_that_back(browser: Client, rows: list[Observation]) -> None:
    observations.delete(pk=rows[4].pk, at=NOW)
    answer = browser.post(BULK, {"act": "delete", "pk": pks(rows[:2])})
    assert said(answer) == "2 memories are in the trash."
    assert live() == set(pks(rows[2:4]))
    back = browser.post(undo_url(answer))
    assert said(back) == "2 memories are back."
    assert live() == set(pks(rows[:4]))


def test_restores_what_is_ticked(browser: Client, rows: list[Observation]) -> None:
    browser.post(BULK, {"act": "delete", "pk": pks(rows)})
    answer = browser.post(f"{BULK}?state=deleted", {"act": "restore", "pk": pks(rows[:1])})
    assert (answer["Location"], said(answer)) == (f"{URL}?state=deleted", "1 memory is back.")
    assert live() == {rows[0].pk}


def test_takes_all_that_the_list_matches_in_one_act(browser: Client) -> None:
    many = [make_observation(f"Rule {number}", type="pattern", at=NOW) for number in range(60)]
    other = make_observation("Another", type="bugfix", at=NOW)
    page = browser.get(URL, {"type": "pattern"}).context["page"]
    assert (len(page.rows), page.matching, page.can_take_all) == (50, 60, True)
    late = make_observation("Saved after the list was shown", type="pattern", at=NOW)
    answer = browser.post(page.bulk_url, {"act": "delete", "all": "1", "seen": page.seen})
    assert said(answer) == "60 memories are in the trash."
    assert live() == {other.pk, late.pk}
    assert Observation.objects.deleted().values("deleted_at").distinct().count() == 1
    assert AuditEntry.objects.filter(action="observation.deleted").count() == len(many)


def test_all_means_nothing_to_somebody_who_saw_no_list(browser: Client, rows: list[Observation]) -> None:
    assert said(browser.post(BULK, {"act": "delete", "all": "1"})) == "No memory was ticked."
    assert live() == set(pks(rows))


def test_refuses_more_than_one_act_changes(browser: Client, rows: list[Observation]) -> None:
    with patch.object(memories_chosen, "MOST", 4):
        page = browser.get(URL).context["page"]
        assert not page.can_take_all
        answer = browser.post(BULK, {"act": "delete", "all": "1", "seen": page.seen})
    assert "Nothing was done" in said(answer)
    assert live() == set(pks(rows))


@pytest.mark.parametrize("act", ["", "explode", "pin", "delete", "merge", "purge"])
def test_nothing_ticked_or_nothing_known_does_nothing(browser: Client, rows: list[Observation], act: str) -> None:
    before = told()
    assert browser.post(f"{BULK}?project=harbor", {"act": act})["Location"] == f"{URL}?project=harbor"
    assert told() == before


@pytest.mark.parametrize("act", ["pin", "unpin", "delete", "restore"])
def test_acts_need_a_permission(client: Client, guest: User, rows: list[Observation], act: str) -> None:
    client.force_login(guest)
    assert client.post(BULK, {"act": act, "pk": pks(rows)}).status_code == 403
    assert live() == set(pks(rows))


@pytest.mark.parametrize("url", [MERGE, PURGE])
def test_pages_that_ask_first_need_a_permission_too(
    client: Client, guest: User, rows: list[Observation], url: str
) -> None:
    client.force_login(guest)
    for ask in (client.get, client.post):
        assert ask(f"{url}?{query(pks(rows))}").status_code == 403
    assert live() == set(pks(rows))


def test_bulk_is_posted_by_somebody_who_is_known(browser: Client, rows: list[Observation]) -> None:
    assert browser.get(BULK).status_code == 405
    assert Client().post(BULK, {"act": "delete", "pk": pks(rows)}).status_code == 302
    assert browser.post(f"{BULK}?project=nowhere", {"act": "pin"}).status_code == 404
    assert live() == set(pks(rows))


@given(st.lists(st.text()), st.text(), st.text())
def test_any_form_is_a_selection(values: list[str], seen: str, whole: str) -> None:
    data = QueryDict(mutable=True)
    data.setlist("pk", values)
    data.update({"seen": seen, "all": whole})
    found = selection(data)
    assert all(0 <= pk < 2**63 for pk in found.pks)
    assert 0 <= found.seen < 2**63
    assert len(set(found.pks)) == len(found.pks)


# Merging


@pytest.fixture
def alike(db: None) -> list[Observation]:
    return [
        make_observation("Leases", content="Leases are in Redis.\n\nThey last 30 s.", at=NOW),
        make_observation("Lease times", content="They last 30 s.\n\nThey are renewed.", at=NOW),
    ]


def test_a_merge_is_looked_at_first(browser: Client, alike: list[Observation]) -> None:
    first, second = pks(alike)
    ask = browser.post(BULK, {"act": "merge", "pk": [first, second]})
    assert ask["Location"] == f"{MERGE}?pk={first}&pk={second}"
    page = browser.get(ask["Location"]).context["page"]
    assert (page.into, page.others) == (first, 1)
    assert "They are renewed." in page.html
    other = browser.get(next(one.keep_url for one in page.candidates if not one.is_kept)).context["page"]
    assert other.into == second
    assert [one.pk for one in other.candidates] == [first, second]
    assert live() == {first, second}


def test_a_merge_is_made_with_its_reason_and_taken_back(browser: Client, alike: list[Observation]) -> None:
    first, second = pks(alike)
    url = f"{MERGE}?{query([first, second])}"
    answer = browser.post(url, {"into": second, "reason": "Twice."})
    assert (answer["Location"], said(answer)) == (f"{URL}{second}/", "2 memories are one now.")
    kept, gone = Observation.objects.get(pk=second), Observation.objects.get(pk=first)
    assert "Leases are in Redis." in kept.content
    assert (gone.merged_into, bool(gone.deleted_at)) == (kept, True)
    assert AuditEntry.objects.get(action="observation.merged").detail["reason"] == "Twice."
    again = browser.post(url, {"into": second})
    assert said(again).startswith("One of these memories is not there any more")
    browser.post(undo_url(answer))
    assert live() == {first, second}
    assert Observation.objects.get(pk=second).content == alike[1].content


def test_says_why_memories_cannot_become_one(browser: Client, alike: list[Observation]) -> None:
    make_session("w1", project="quay")
    other = make_observation("Quay", session_id="w1")
    for chosen, words in (
        (query([alike[0].pk, other.pk]), "Memories of different projects cannot be merged."),
        (query([alike[0].pk]), "A merge needs at least two memories."),
        (query([alike[0].pk, 999]), "One of these memories is not there any more, or in the trash."),
        ("all=1&seen=99", "Tick the memories that become one."),
        ("", "A merge needs at least two memories."),
    ):
        for ask in (browser.get, browser.post):
            answer = ask(f"{MERGE}?{chosen}")
            assert (answer.status_code, said(answer)) == (302, words)
    assert len(live()) == 3


def test_the_text_of_a_merge_is_shown_and_not_obeyed(browser: Client, alike: list[Observation]) -> None:
    observations.update(pk=alike[1].pk, edit=Edit(title="<script>alert(1)</script>", content="<script>x"), at=NOW)
    text = browser.get(f"{MERGE}?{query(pks(alike))}").content.decode()
    assert "<script>alert" not in text
    assert "<script>x" not in text


# Removing for good


@pytest.fixture
def trash(rows: list[Observation]) -> list[Observation]:
    """Two memories that were found by their words before they were deleted."""
    indexing.step()
    observations.update(pk=rows[0].pk, edit=Edit(content="A secret word: xyzzy."), at=NOW)
    observations.update(pk=rows[0].pk, edit=Edit(content="Nothing."), at=NOW)
    for row in rows[:2]:
        observations.delete(pk=row.pk, at=NOW)
    return rows[:2]


def test_removing_asks_for_a_reason_and_the_number(browser: Client, trash: list[Observation]) -> None:
    ask = browser.post(f"{BULK}?state=deleted", {"act": "purge", "pk": pks(trash)})
    url = ask["Location"]
    assert browser.get(url).context["page"].total == 2
    for wrong, words in (
        ({"reason": "", "count": "2"}, "The audit trail needs a reason"),
        ({"reason": "A key.", "count": ""}, "Type how many memories are removed."),
        ({"reason": "A key.", "count": "3"}, "This would remove 2. Nothing was removed."),
        ({"reason": "A key.", "count": "two"}, "This is not a number."),
    ):
        answer = browser.post(url, wrong)
        assert answer.status_code == 422
        assert words in answer.content.decode()
    assert Observation.objects.count() == 5


def test_what_is_removed_leaves_no_word_behind(
    browser: Client, owner: User, rows: list[Observation], trash: list[Observation]
) -> None:
    indexing.step()
    assert SearchDocument.objects.filter(ref__in=[f"observation:{row.pk}" for row in rows]).count() == 3
    ids = {row.sync_id for row in trash}
    answer = browser.post(f"{PURGE}?{query(pks(trash))}", {"reason": "A key.", "count": "2"})
    assert (answer["Location"], said(answer)) == (f"{URL}?state=deleted", "2 memories removed for good.")
    indexing.step()
    assert not Observation.objects.filter(pk__in=pks(trash)).exists()
    assert not ObservationVersion.objects.exists()
    refs = [f"observation:{row.pk}" for row in trash]
    assert not SearchDocument.objects.filter(ref__in=refs).exists()
    assert not Change.objects.filter(ref__in=refs).exclude(title="").exists()
    assert set(Tombstone.objects.values_list("key", flat=True)) == ids
    assert AuditEntry.objects.filter(action="observation.purged", actor=owner, detail={"reason": "A key."}).count() == 2
    assert browser.get(f"{URL}{trash[0].pk}/").status_code == 404
    again = browser.post(f"{PURGE}?{query(pks(trash))}", {"reason": "A key.", "count": "2"})
    assert said(again) == "There is nothing left to remove."


def test_only_what_is_in_the_trash_is_removed(
    browser: Client, rows: list[Observation], trash: list[Observation]
) -> None:
    url = f"{PURGE}?{query(pks(rows))}"
    page = browser.get(url).context["page"]
    assert (page.total, page.not_deleted) == (2, 3)
    browser.post(url, {"reason": "A key.", "count": "2"})
    assert live() == set(pks(rows[2:]))


def test_the_whole_trash_is_removed_at_once(browser: Client, rows: list[Observation], trash: list[Observation]) -> None:
    seen = browser.get(URL, {"state": "deleted"}).context["page"].seen
    ask = browser.post(f"{BULK}?state=deleted", {"act": "purge", "all": "1", "seen": seen})
    assert browser.get(ask["Location"]).context["page"].total == 2
    browser.post(ask["Location"], {"reason": "Old.", "count": "2"})
    assert set(Observation.objects.values_list("pk", flat=True)) == set(pks(rows[2:]))


def test_nothing_to_remove_is_said(browser: Client, rows: list[Observation]) -> None:
    assert "Nothing to remove" in browser.get(f"{PURGE}?{query(pks(rows))}").content.decode()
    assert "Nothing to remove" in browser.get(PURGE).content.decode()
