from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.audit import Actor
from memory.engram import alike, observations, relations, scanning
from memory.engram.errors import Invalid, NotFound
from memory.models import AuditEntry, Observation, Project, Relation
from memory.search import index
from tests.memory.engram.makers import make_observation

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def candidates(row: Observation) -> list[str]:
    return [one.observation.title for one in relations.candidates(row, at=NOW)]


@pytest.mark.parametrize(
    ("title", "is_alike"),
    [
        ("Lease manager moved", True),
        ("the lease_manager's port", True),
        ("LEASES: managers", True),
        ("Lease", False),
        ("Crane schedule", False),
        ("The manager of the crane", False),
        ("On the of and", False),
    ],
)
@pytest.mark.parametrize("is_indexed", [True, False])
def test_proposes_memories_whose_titles_share_two_words(title: str, *, is_alike: bool, is_indexed: bool) -> None:
    make_observation("The lease manager listens on 4242")
    if is_indexed:
        index.follow()
    assert candidates(make_observation(title, content=title)) == (
        ["The lease manager listens on 4242"] if is_alike else []
    )


@pytest.mark.parametrize(
    ("one", "other", "is_alike"), [("Tides", "tide", True), ("潮汐表", "潮汐表", True), ("Tides", "Tide x", False)]
)
def test_proposes_the_same_single_word(one: str, other: str, *, is_alike: bool) -> None:
    make_observation(one, content="first")
    assert bool(candidates(make_observation(other, content="second"))) is is_alike


def test_proposes_the_same_topic() -> None:
    old = make_observation("Ports", topic_key="config/ports")
    new = make_observation("Something else", topic_key="config/other")
    Observation.objects.filter(pk=old.pk).update(topic_key="config/other")
    [one] = relations.candidates(new, at=NOW)
    assert (one.observation.pk, one.score) == (old.pk, 1.0)


@pytest.mark.parametrize("change", ["scope", "project", "deleted", "type"])
def test_leaves_out_what_speaks_of_something_else(change: str) -> None:
    old = make_observation("Lease manager port", scope="personal" if change == "scope" else "project")
    if change == "project":
        Observation.objects.update(project=Project.objects.create(name="gate"))
    if change == "deleted":
        observations.delete(pk=old.pk, at=NOW)
    if change == "type":
        Observation.objects.update(type="session_summary")
    assert candidates(make_observation("Lease manager port moved", content="new")) == []


def test_proposes_three_and_the_most_alike_first() -> None:
    for title in (
        "Lease manager",
        "Lease manager port of the harbor",
        "Lease manager port",
        "Lease manager port moved x",
    ):
        make_observation(title, content=title)
    found = relations.candidates(make_observation("Lease manager port moved"), at=NOW)
    assert len(found) == relations.MOST_CANDIDATES
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True) and 0 < min(scores) <= max(scores) <= 1
    assert found[0].observation.title == "Lease manager port moved x"


def test_asks_once_about_a_pair() -> None:
    make_observation("Lease manager port")
    new = make_observation("Lease manager port moved")
    [first] = relations.candidates(new, at=NOW)
    [again] = relations.candidates(new, at=NOW)
    assert first.judgment_id == again.judgment_id
    relations.judge(judgment_id=first.judgment_id, relation="compatible", at=NOW)
    assert relations.candidates(new, at=NOW) == []
    assert Relation.objects.count() == 1


def test_costs_few_queries_where_nothing_is_alike(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(30):
        make_observation(f"Crane number{number}", content=f"text {number}")
    row = make_observation("Lease manager port")
    index.follow()
    with django_assert_max_num_queries(4):
        assert alike.find(row) == []


def test_notes_who_judged() -> None:
    make_observation("Lease manager port")
    [one] = relations.candidates(make_observation("Lease manager port moved"), at=NOW)
    actor = Actor(user=None, label="mira")
    row = relations.judge(judgment_id=one.judgment_id, relation="supersedes", actor=actor, at=NOW)
    assert (row.marked_by_actor, row.marked_by_kind) == ("mira", "human")
    assert AuditEntry.objects.get(action="relation.judged").actor_label == "mira"
    row = relations.judge(judgment_id=one.judgment_id, relation="related", at=NOW)
    assert (row.marked_by_actor, row.marked_by_kind) == ("agent", "agent")
    assert [found.relation for found in relations.of([one.observation.pk])] == ["related"]


def test_judges_no_pair_across_projects() -> None:
    old = make_observation("Lease manager port")
    [one] = relations.candidates(make_observation("Lease manager port moved"), at=NOW)
    Observation.objects.filter(pk=old.pk).update(project=Project.objects.create(name="gate"))
    with pytest.raises(Invalid, match="cross-project"):
        relations.judge(judgment_id=one.judgment_id, relation="related", at=NOW)


def test_turns_a_relation_round_where_the_comparison_does() -> None:
    old, new = make_observation("Lease manager port"), make_observation("Lease manager port moved")
    [one] = relations.candidates(new, at=NOW)
    row = relations.compare(a=old.pk, b=new.pk, relation="supersedes", confidence=1.0, reasoning="x", at=NOW)
    assert row.sync_id == one.judgment_id
    assert (row.source_id, row.target_id, row.source_sync_id) == (old.pk, new.pk, old.sync_id)


@pytest.mark.parametrize("confidence", [None, -0.1, 1.1, float("nan"), float("inf")])
def test_wants_a_confidence_between_0_and_1(confidence: float | None) -> None:
    one, other = make_observation("One"), make_observation("Other")
    with pytest.raises(Invalid, match="confidence"):
        relations.compare(a=one.pk, b=other.pk, relation="related", confidence=confidence, reasoning="x", at=NOW)


def test_compares_only_what_is_there() -> None:
    row = make_observation("One")
    with pytest.raises(NotFound):
        relations.compare(a=row.pk, b=row.pk + 1, relation="related", confidence=1.0, reasoning="x", at=NOW)
    with pytest.raises(Invalid):
        relations.compare(a=row.pk, b=row.pk, relation="related", confidence=1.0, reasoning="x", at=NOW)


def test_joins_relations_to_what_comes_later() -> None:
    row = make_observation("One")
    Relation.objects.create(sync_id="rel-1", source_sync_id="obs-x", target_sync_id=row.sync_id)
    Relation.objects.create(sync_id="rel-2", source_sync_id="obs-x", target_sync_id="obs-y")
    assert (relations.attach(), relations.unresolved().count()) == (0, 2)
    later = make_observation("Later")
    Observation.objects.filter(pk=later.pk).update(sync_id="obs-x")
    assert relations.attach() == 1
    joined = Relation.objects.get(sync_id="rel-1")
    assert (joined.source_id, joined.target_id, joined.project) == (later.pk, row.pk, row.project)
    assert [one.sync_id for one in relations.unresolved()] == ["rel-2"]


def test_does_not_join_what_was_orphaned() -> None:
    old = make_observation("Lease manager port")
    relations.candidates(make_observation("Lease manager port moved"), at=NOW)
    observations.delete(pk=old.pk, hard=True, at=NOW)
    assert not relations.unresolved().exists()
    assert relations.attach() == 0
    assert relations.stats().by_judgment_status == {"orphaned": 1}


def test_scans_page_by_page_and_inserts_as_many_as_it_may() -> None:
    for number in range(4):
        make_observation(f"Lease manager port{number}", content=f"text {number}")
    first = scanning.scan(limit=3, apply=True, max_insert=2, at=NOW)
    assert (first.inspected, first.candidates_found, first.inserted, first.capped) == (3, 3, 2, True)
    again = scanning.scan(limit=3, apply=True, at=NOW)
    assert (again.already_related, again.inserted, again.capped) == (2, 1, False)
    rest = scanning.scan(limit=3, cursor=again.next_cursor or 0, at=NOW)
    assert (rest.inspected, rest.candidates_found, rest.inserted, rest.next_cursor) == (1, 3, 0, None)
    assert scanning.scan(since=NOW + timedelta(days=1), at=NOW).inspected == 0
    newest, oldest = Relation.objects.latest("pk"), Relation.objects.earliest("pk")
    assert newest.source_id and newest.target_id and newest.source_id > newest.target_id
    assert oldest.judgment_status == "pending"
