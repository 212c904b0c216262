"""What people do to many memories at once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.audit import COMMAND
from memory.engram import combining, curation, observations
from memory.engram.errors import Invalid, NotFound
from memory.engram.observations import Edit
from memory.models import AuditEntry, Observation, Tombstone
from tests.memory.engram.makers import make_observation, make_session, told

pytestmark = pytest.mark.django_db

NOW = timezone.now()
THEN = NOW + timedelta(days=1)


@pytest.fixture
def three(db: None) -> list[Observation]:
    return [
        make_observation("Leases", content="Leases are in Redis.\n\nThey last 30 s.", at=NOW),
        make_observation("Leases", content="leases are  in Redis.\n\nThey are renewed.", at=NOW),
        make_observation("Cranes", content="They last 30 s.\n\n```\na\n\nb\n```", at=NOW),
    ]


def _pks(rows: list[Observation]) -> list[int]:
    return [row.pk for row in rows]


def test_pins_many_and_counts_those_that_were_not(three: list[Observation]) -> None:
    pks = _pks(three)
    assert curation.pin(pks=pks[:1], is_pinned=True, actor=COMMAND, at=THEN) == 1
    assert curation.pin(pks=[*pks, 999], is_pinned=True, actor=COMMAND, at=THEN) == 2
    assert curation.pin(pks=pks, is_pinned=False, actor=COMMAND, at=THEN) == 3
    assert AuditEntry.objects.count() == 6
    assert [kind for kind, _ in told()].count("observation.pinned") == 3


def test_deletes_and_restores_many(three: list[Observation]) -> None:
    pks = _pks(three)
    assert curation.delete(pks=pks[:2], actor=COMMAND, reason="Old.", at=THEN) == 2
    assert curation.delete(pks=pks, actor=COMMAND, at=THEN) == 1
    assert not Observation.objects.live().exists()
    assert AuditEntry.objects.filter(detail={"reason": "Old."}).count() == 2
    assert curation.restore(pks=pks, actor=COMMAND, at=THEN) == 3
    assert Observation.objects.live().count() == 3


def test_tells_each_project_of_its_own(three: list[Observation]) -> None:
    make_session("s2", project="quay")
    other = make_observation("Quay", session_id="s2")
    curation.delete(pks=[other.pk, three[0].pk], actor=COMMAND, at=THEN)
    assert set(told()[-2:]) == {("observation.deleted", f"observation:{row.pk}") for row in (other, three[0])}
    assert other.project.changes.latest("pk").ref == f"observation:{other.pk}"


def test_purges_deleted_ones_for_good_and_leaves_what_was_restored(three: list[Observation]) -> None:
    pks = _pks(three)
    curation.delete(pks=pks, actor=COMMAND, at=THEN)
    curation.restore(pks=pks[2:], actor=COMMAND, at=THEN)
    assert curation.purge(pks=pks, actor=COMMAND, reason="A key.", at=THEN) == 2
    assert _pks(list(Observation.objects.all())) == pks[2:]
    assert set(Tombstone.objects.values_list("key", flat=True)) == {row.sync_id for row in three[:2]}
    purged = AuditEntry.objects.filter(action="observation.purged")
    assert {entry.target for entry in purged} == {f"observation:{pk}" for pk in pks[:2]}
    assert curation.purge(pks=pks[:2], actor=COMMAND, at=THEN) == 0


def test_shows_what_a_merge_would_make_without_making_it(three: list[Observation]) -> None:
    before = told()
    preview = curation.merge_preview(_pks(three))
    assert (preview.into, preview.others, preview.full_size) == (three[0], three[1:], None)
    assert preview.content == (
        "Leases are in Redis.\n\nThey last 30 s.\n\nThey are renewed.\n\n**Cranes**\n\n```\na\n\nb\n```"
    )
    assert (Observation.objects.live().count(), told()) == (3, before)


def test_merges_what_the_preview_showed(three: list[Observation]) -> None:
    into, *others = _pks(three)
    observations.pin(pk=others[1], is_pinned=True, at=NOW)
    shown = curation.merge_preview(_pks(three)).content
    merged = curation.merge(into=into, others=others, actor=COMMAND, reason="The same.", at=THEN)
    merged.refresh_from_db()
    assert (merged.content, merged.title, merged.revision_count) == (shown, "Leases", 2)
    assert (merged.duplicate_count, merged.is_pinned) == (3, True)
    gone = Observation.objects.deleted().order_by("pk")
    assert [(row.pk, row.merged_into_id, row.deleted_at) for row in gone] == [(pk, into, THEN) for pk in others]
    assert merged.versions.get().content == "Leases are in Redis.\n\nThey last 30 s."
    entry = AuditEntry.objects.get(action="observation.merged")
    assert (entry.target, entry.detail) == (f"observation:{into}", {"revision": 2, "reason": "The same."})


def test_takes_a_merge_back(three: list[Observation]) -> None:
    into, *others = _pks(three)
    curation.merge(into=into, others=others, actor=COMMAND, at=THEN)
    back = curation.unmerge(pk=into, actor=COMMAND, at=THEN)
    back.refresh_from_db()
    assert (back.content, back.duplicate_count, back.revision_count) == (
        "Leases are in Redis.\n\nThey last 30 s.",
        1,
        3,
    )
    assert Observation.objects.live().filter(merged_into=None).count() == 3
    with pytest.raises(NotFound):
        curation.unmerge(pk=into, actor=COMMAND, at=THEN)


def test_taking_back_keeps_what_was_written_since(three: list[Observation]) -> None:
    into, *others = _pks(three)
    curation.merge(into=into, others=others[:1], actor=COMMAND, at=THEN)
    curation.merge(into=into, others=others[1:], actor=COMMAND, at=THEN + timedelta(hours=1))
    observations.update(pk=into, edit=Edit(content="By hand."), at=THEN + timedelta(hours=2))
    curation.unmerge(pk=into, actor=COMMAND, at=THEN + timedelta(hours=3))
    assert Observation.objects.get(pk=into).content == "By hand."
    assert _pks(list(Observation.objects.deleted())) == others[:1]


def test_refuses_what_is_not_one_memory(three: list[Observation]) -> None:
    make_session("s2", project="quay")
    foreign = make_observation("Quay", session_id="s2")
    pk = three[0].pk
    for pks in ([], [pk], [pk, pk]):
        with pytest.raises(Invalid, match="at least two"):
            curation.merge_preview(pks)
    with pytest.raises(Invalid, match="different projects"):
        curation.merge(into=pk, others=[foreign.pk], actor=COMMAND, at=THEN)
    observations.delete(pk=three[1].pk, at=THEN)
    for other in (three[1].pk, 999):
        with pytest.raises(NotFound):
            curation.merge(into=pk, others=[other], actor=COMMAND, at=THEN)
    assert Observation.objects.get(pk=pk).revision_count == 1


@given(st.text(alphabet="ab\n `~"))
def test_paragraphs_hold_every_line_that_says_something(text: str) -> None:
    found = "\n".join(combining.paragraphs(text)).splitlines()
    assert [line for line in found if line.strip()] == [line for line in text.strip().splitlines() if line.strip()]
