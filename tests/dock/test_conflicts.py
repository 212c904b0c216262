"""Pairs of memories that may contradict one another, and what people judge about them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.audit import COMMAND
from memory.engram import curation, observations, pairs, relations
from memory.models import AuditEntry, Observation, Project, Relation
from tests.memory.engram.makers import make_observation, make_session

LIST = "/dock/conflicts/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


def make_pair(number: int = 1, *, session: str = "s1", old: str = "", new: str = "") -> Relation:
    """Make a pair that waits for a verdict; `old` and `new` are what the two say."""
    left = make_observation(f"Lease {number} lasts", content=old or f"It lasts {number} s.", session_id=session)
    right = make_observation(f"Lease {number} is over", content=new or f"It is over at {number}.", session_id=session)
    row = pairs.new(right, left, at=timezone.now())
    row.save(force_insert=True)
    return row


def ends(row: Relation) -> tuple[Observation, Observation]:
    """Return the two memories, as they are on the page."""
    assert row.target and row.source
    return row.target, row.source


def judge_url(row: Relation, query: str = "") -> str:
    return f"{LIST}{row.pk}/judge/{query}"


def test_shows_the_newest_pair_side_by_side_with_what_differs_marked(browser: Client) -> None:
    make_pair(1)
    make_pair(2, old="The cooldown is 90 s here.", new="The cooldown is 45 s here.")
    answer = browser.get(LIST)
    page = answer.context["page"]
    assert (page.pair.left.title, page.pair.right.title) == ("Lease 2 lasts", "Lease 2 is over")
    assert [row.is_current for row in page.rows] == [True, False]
    told = answer.content.decode()
    assert "cooldown is <del>90</del> s" in told and "cooldown is <ins>45</ins> s" in told


def test_names_the_facts_that_differ(browser: Client) -> None:
    row = make_pair()
    Observation.objects.filter(pk=ends(row)[1].pk).update(type="policy", scope="personal")
    fields = browser.get(LIST).context["page"].pair.difference.fields
    assert [(one.label, one.before, one.after) for one in fields] == [
        ("Type", "manual", "policy"),
        ("Scope", "project", "personal"),
    ]


def test_judges_and_goes_on_to_the_next_pair(browser: Client, owner: User) -> None:
    first, second, third = make_pair(1), make_pair(2), make_pair(3)
    answer = browser.post(judge_url(second), {"relation": "compatible", "reason": "Two places."}, follow=True)
    second.refresh_from_db()
    assert (second.relation, second.judgment_status, second.reason) == ("compatible", "judged", "Two places.")
    assert (second.marked_by_actor, second.marked_by_kind) == ("mira", "human")
    assert AuditEntry.objects.get(action="relation.judged").actor == owner
    page = answer.context["page"]
    assert page.pair.pk == first.pk
    assert [row.id for row in page.rows] == [f"pair-{third.pk}", f"pair-{first.pk}"]
    assert page.judged.words == "“Lease 2 is over” and “Lease 2 lasts”: compatible."


def test_begins_anew_after_the_last_pair_and_says_when_none_is_left(browser: Client) -> None:
    first, second = make_pair(1), make_pair(2)
    assert browser.post(judge_url(first), {"relation": "related"}, follow=True).context["page"].pair.pk == second.pk
    told = browser.post(judge_url(second), {"relation": "related"}, follow=True)
    assert told.context["page"].pair is None
    assert "Nothing to judge" in told.content.decode()


def test_a_verdict_is_taken_back_by_another_one(browser: Client) -> None:
    row = make_pair()
    again = browser.post(judge_url(row), {"relation": "related"}, follow=True).context["page"].judged.url
    page = browser.get(again).context["page"]
    assert (page.status, page.pair.pk, page.pair.judged_by) == ("judged", row.pk, "mira")
    assert [one.value for one in page.pair.verdicts if one.is_current] == ["related"]
    answer = browser.post(page.pair.judge_url, {"relation": "supersedes"}, follow=True)
    assert answer.context["page"].pair.verdict == f"#{row.source_id} supersedes #{row.target_id}"
    assert [str(one) for one in get_messages(answer.wsgi_request)] == ["Judged."]


def test_judging_twice_is_harmless(browser: Client) -> None:
    row = make_pair()
    for _ in range(2):
        assert browser.post(judge_url(row), {"relation": "scoped"}).status_code == 302
    assert Relation.objects.get().relation == "scoped"


def test_says_at_its_place_what_cannot_be_taken_and_keeps_the_reason(browser: Client) -> None:
    row, _ = make_pair(1), make_pair(2)
    for relation, error in (("", "Choose how the two relate."), ("hates", "There is no such verdict.")):
        answer = browser.post(judge_url(row), {"relation": relation, "reason": "Because."})
        assert answer.status_code == 422
        page = answer.context["page"]
        assert (page.error, page.typed, page.pair.pk) == (error, "Because.", row.pk)
    row.refresh_from_db()
    assert row.judgment_status == "pending"


def test_refuses_a_pair_of_two_projects(browser: Client) -> None:
    row = make_pair()
    Observation.objects.filter(pk=ends(row)[0].pk).update(project=Project.objects.create(name="gate"))
    answer = browser.post(judge_url(row), {"relation": "related"})
    assert answer.status_code == 422
    assert "cross-project relations are not allowed" in answer.content.decode()


def test_only_who_may_judge_does(client: Client, guest: User) -> None:
    row = make_pair()
    client.force_login(guest)
    assert client.post(judge_url(row), {"relation": "related"}).status_code == 403
    assert client.get(LIST).context["page"].pair.judge_url == ""
    assert 'name="relation"' not in client.get(LIST).content.decode()


def test_a_verdict_is_posted_and_a_list_is_read(browser: Client) -> None:
    row = make_pair()
    assert browser.get(judge_url(row)).status_code == 405
    assert browser.post(LIST).status_code == 405


def test_answers_404_for_a_pair_that_is_not_there(browser: Client) -> None:
    for pk in (1, 2**70):
        assert browser.post(f"{LIST}{pk}/judge/", {"relation": "related"}).status_code == 404


def test_offers_only_pairs_of_which_both_memories_are_there(browser: Client) -> None:
    kept, trashed, gone = make_pair(1), make_pair(2), make_pair(3)
    observations.delete(pk=ends(trashed)[1].pk, at=timezone.now())
    curation.delete(pks=[ends(gone)[0].pk], actor=COMMAND, at=timezone.now())
    curation.purge(pks=[ends(gone)[0].pk], actor=COMMAND, at=timezone.now())
    tabs = {tab.label: tab.count for tab in browser.get(LIST).context["page"].tabs}
    assert tabs == {"To judge": 1, "Judged": 0, "Cannot be judged": 1, "Memory removed": 1}
    assert [row.id for row in browser.get(LIST).context["page"].rows] == [f"pair-{kept.pk}"]
    apart = browser.get(LIST, {"status": "apart"})
    assert apart.context["page"].pair.right.note == "in the trash"
    orphaned = browser.get(LIST, {"status": "orphaned"})
    assert "A memory that was removed" in orphaned.content.decode()
    assert orphaned.context["page"].pair.judge_url == ""


def test_filters_by_project_status_and_verdict(browser: Client) -> None:
    make_session("g1", project="gate")
    here, there, third = make_pair(1), make_pair(2, session="g1"), make_pair(3)
    rows = browser.get(LIST, {"project": "gate"}).context["page"].rows
    assert [row.id for row in rows] == [f"pair-{there.pk}"]
    for row, relation in ((here, "related"), (third, "not_conflict")):
        relations.judge(judgment_id=row.sync_id, relation=relation, at=timezone.now())
    judged = browser.get(LIST, {"status": "judged"}).context["page"]
    assert {row.verdict for row in judged.rows} == {"related", "no conflict"}
    chosen = browser.get(LIST, {"status": "judged", "verdict": "not_conflict"}).context["page"]
    assert [row.id for row in chosen.rows] == [f"pair-{third.pk}"]
    assert "verdict=not_conflict" in chosen.rows[0].url and "status=judged" in chosen.rows[0].url


def test_ignores_what_an_address_cannot_mean(browser: Client) -> None:
    row = make_pair()
    odd = {"status": "x", "verdict": "y", "pair": "z", "last": str(2**70), "cursor": "%%"}
    assert browser.get(LIST, odd).context["page"].pair.pk == row.pk
    assert browser.get(LIST, {"pair": 999}).context["page"].pair.pk == row.pk
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404


def test_pages_through_all_pairs(browser: Client) -> None:
    left, right = ends(make_pair())
    Relation.objects.bulk_create(pairs.new(right, left, at=timezone.now()) for _ in range(119))
    seen, url = list[str](), LIST
    while url:
        page = browser.get(url).context["page"]
        seen += [row.id for row in page.rows]
        url = page.next_url
    assert len(seen) == len(set(seen)) == 120


def test_what_agents_write_stays_text(browser: Client) -> None:
    row = make_pair(old=SCRIPT, new="<img src=x onerror=alert(1)>")
    Observation.objects.filter(pk=ends(row)[1].pk).update(title=SCRIPT, type=SCRIPT)
    relations.judge(judgment_id=row.sync_id, relation="related", reason=SCRIPT, at=timezone.now())
    for address in (LIST, f"{LIST}?status=judged&last={row.pk}"):
        told = browser.get(address).content.decode()
        assert "<script>alert" not in told and "<img src=x" not in told


def test_answers_htmx_with_the_pairs_alone(browser: Client) -> None:
    make_pair()
    told = browser.get(LIST, headers=HTMX).content.decode()
    assert told.strip().startswith('<div id="pairs"') and "<html" not in told
    assert "<html" in browser.get(LIST, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()


def test_a_refresh_keeps_the_pair_that_is_read(browser: Client) -> None:
    row = make_pair(1)
    url = browser.get(LIST).context["page"].url
    make_pair(2)
    assert browser.get(url).context["page"].pair.pk == row.pk


def test_asks_the_database_the_same_for_one_pair_and_for_twenty(browser: Client) -> None:
    counts = []
    for numbers in (range(1), range(1, 20)):
        for number in numbers:
            make_pair(number)
        with CaptureQueriesContext(connection) as told:
            browser.get(LIST)
        counts.append(len(told))
    assert counts[0] == counts[1]
