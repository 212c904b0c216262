"""Changing, pinning, deleting and restoring one observation."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.audit import COMMAND
from memory.engram import observations, relations
from memory.engram.errors import EditConflict, ExpectedProjectMismatch, Invalid, NotFound, ReassignmentRefused
from memory.engram.observations import Edit
from memory.engram.text import LIMIT, MARK, normalized_hash
from memory.models import AuditEntry, Change, Observation, ObservationVersion, Relation, Tombstone
from tests.memory.engram.makers import make_observation, told

pytestmark = pytest.mark.django_db

NOW = timezone.now()
THEN = NOW + timedelta(days=1)


@pytest.fixture
def row(db: None) -> Observation:
    return make_observation("Leases", content="Leases are in Redis. Redis is fast.", topic_key="a/b", at=NOW)


def _update(row: Observation, **over: Any) -> Observation:
    fields = {name: over.pop(name) for name in list(over) if name in Edit.__dataclass_fields__}
    values: dict[str, Any] = {"pk": row.pk, "edit": Edit(**fields), "at": THEN}
    return observations.update(**values | over)


def test_changes_what_is_given_and_keeps_what_it_said(row: Observation) -> None:
    _update(row, title=" Cranes <private>x</private>", type="bugfix", scope="global", topic_key="C D")
    row.refresh_from_db()
    assert (row.title, row.type, row.scope, row.topic_key) == ("Cranes [REDACTED]", "bugfix", "global", "c-d")
    assert (row.content, row.revision_count, row.updated_at) == ("Leases are in Redis. Redis is fast.", 2, THEN)
    version = row.versions.get()
    assert (version.title, version.type, version.scope, version.topic_key) == ("Leases", "manual", "project", "a/b")
    assert (version.number, version.created_at, version.replaced_at) == (1, NOW, THEN)
    assert told()[-1] == ("observation.updated", f"observation:{row.pk}")
    assert not AuditEntry.objects.exists()


def test_numbers_versions_and_says_since_when_they_said_so(row: Observation) -> None:
    _update(row, content="Second.")
    _update(row, content="Third.", at=THEN + timedelta(days=1))
    assert list(row.versions.order_by("number").values_list("number", "content", "created_at", "replaced_at")) == [
        (1, "Leases are in Redis. Redis is fast.", NOW, THEN),
        (2, "Second.", THEN, THEN + timedelta(days=1)),
    ]


def test_an_edit_of_the_content_makes_its_hash_anew(row: Observation) -> None:
    assert _update(row, content="New  words").normalized_hash == normalized_hash("new words")


def test_replaces_every_literal_occurrence(row: Observation) -> None:
    assert _update(row, find="Redis", replace="Re.is").content == "Leases are in Re.is. Re.is is fast."
    assert _update(row, find=".", replace="").content == "Leases are in Reis Reis is fast"


@pytest.mark.parametrize("edit", [{"find": "redis", "replace": "x"}, {"title": "Leases"}, {"scope": "nonsense"}])
def test_an_edit_that_changes_no_word_makes_no_revision(row: Observation, edit: dict[str, str]) -> None:
    before = told()
    assert _update(row, **edit).revision_count == 1
    assert (row.versions.count(), told()) == (0, before)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({}, "at least one field is required"),
        ({"find": "x"}, "find and replace must be provided together"),
        ({"replace": "x"}, "find and replace must be provided together"),
        ({"find": "", "replace": "x"}, "find and replace must be provided together"),
        ({"find": "a", "replace": "b", "content": "c"}, "cannot be combined with content"),
        ({"title": " "}, "observation title is required"),
        ({"content": ""}, "observation content is required"),
        ({"find": "Leases are in Redis. Redis is fast.", "replace": " "}, "observation content is required"),
        ({"find": "e", "replace": "x" * LIMIT}, "content exceeds"),
    ],
)
def test_refuses_an_edit_that_cannot_be(row: Observation, edit: dict[str, str], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        _update(row, **edit)
    row.refresh_from_db()
    assert (row.revision_count, row.title) == (1, "Leases")


def test_cuts_a_new_content_and_forgets_the_size_of_the_old_one(row: Observation) -> None:
    cut = _update(row, content="ñ" * LIMIT)
    assert (cut.full_size, cut.content.endswith(MARK)) == (2 * LIMIT, True)
    assert _update(row, title="Other").full_size == 2 * LIMIT
    assert _update(row, content="short").full_size is None


@given(find=st.text(min_size=1), replace=st.text())
def test_replacing_takes_any_text_or_says_why_not(find: str, replace: str) -> None:
    row = make_observation("Any", content="a b\\c.*", at=NOW)
    try:
        changed = _update(row, find=find, replace=replace)
    except Invalid:
        return
    stored = Observation.objects.get(pk=row.pk)
    assert stored.content == changed.content


def test_the_project_of_an_observation_stays(row: Observation) -> None:
    row.project.aliases.create(name="old-harbor")
    for name in ("harbor", "HARBOR", "old-harbor"):
        assert _update(row, project=name).project.name == "harbor"
        assert _update(row, title="Leases", expected_project=name).project.name == "harbor"
    with pytest.raises(ReassignmentRefused, match="cannot be reassigned"):
        _update(row, project="quay")
    with pytest.raises(ReassignmentRefused):
        _update(row, project="")
    with pytest.raises(ExpectedProjectMismatch, match="expected_project does not match observation owner"):
        _update(row, title="x", expected_project="quay")
    with pytest.raises(ExpectedProjectMismatch):
        observations.delete(pk=row.pk, expected_project="quay", at=THEN)


def test_a_person_does_not_overwrite_what_was_changed_meanwhile(row: Observation) -> None:
    _update(row, title="Changed by the agent")
    with pytest.raises(EditConflict) as refused:
        _update(row, title="Mine", expected_revision=1, actor=COMMAND)
    assert refused.value.fields == {"revision": 2}
    assert _update(row, title="Mine", expected_revision=2, actor=COMMAND).title == "Mine"


def test_the_act_of_a_person_is_written_down_without_words_of_the_memory(row: Observation) -> None:
    _update(row, content="Secret words", actor=COMMAND, reason="It was wrong.")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target) == ("observation.updated", f"observation:{row.pk}")
    assert entry.detail == {"revision": 2, "reason": "It was wrong."}
    assert ObservationVersion.objects.get().replaced_by == "command line"


def test_says_again_what_it_said(row: Observation) -> None:
    _update(row, title="Cranes", content="Second.")
    again = observations.restore_version(pk=row.pk, number=1, actor=COMMAND, at=THEN)
    assert (again.title, again.content, again.revision_count) == ("Leases", "Leases are in Redis. Redis is fast.", 3)
    assert again.normalized_hash == row.normalized_hash
    assert again.versions.get(number=2).content == "Second."
    assert AuditEntry.objects.get().action == "observation.version_restored"
    assert observations.restore_version(pk=row.pk, number=1, actor=COMMAND, at=THEN).revision_count == 3
    with pytest.raises(NotFound):
        observations.restore_version(pk=row.pk, number=9, actor=COMMAND, at=THEN)


def test_pins_and_unpins_once(row: Observation) -> None:
    assert observations.pin(pk=row.pk, is_pinned=True, at=THEN).is_pinned
    assert observations.pin(pk=row.pk, is_pinned=True, at=THEN).is_pinned
    observations.pin(pk=row.pk, is_pinned=False, actor=COMMAND, at=THEN)
    row.refresh_from_db()
    assert (row.is_pinned, row.revision_count, row.updated_at) == (False, 1, NOW)
    ref = f"observation:{row.pk}"
    assert told()[2:] == [("observation.pinned", ref), ("observation.unpinned", ref)]
    assert AuditEntry.objects.get().action == "observation.unpinned"


def test_deletes_and_restores(row: Observation) -> None:
    observations.delete(pk=row.pk, at=THEN)
    row.refresh_from_db()
    assert (row.deleted_at, row.updated_at) == (THEN, THEN)
    with pytest.raises(NotFound):
        observations.delete(pk=row.pk, at=THEN)
    restored = observations.restore(pk=row.pk, actor=COMMAND, at=THEN)
    assert (restored.deleted_at, observations.restore(pk=row.pk, actor=COMMAND, at=THEN).deleted_at) == (None, None)
    kinds = [kind for kind, _ in told()[2:]]
    assert kinds == ["observation.deleted", "observation.restored"]
    assert not Tombstone.objects.exists()


@pytest.mark.parametrize("was_deleted", [True, False])
def test_deletes_for_good_and_leaves_only_ids(row: Observation, was_deleted: bool) -> None:  # noqa: FBT001
    other = make_observation("Other", content="Other words.", at=NOW)
    relation = Relation.objects.create(
        sync_id="rel-1", source_sync_id=other.sync_id, target_sync_id=row.sync_id, source=other, target=row
    )
    _update(row, content="Second.")
    if was_deleted:
        observations.delete(pk=row.pk, at=THEN)
    observations.delete(pk=row.pk, hard=True, at=THEN)
    assert list(Observation.objects.all()) == [other]
    assert not ObservationVersion.objects.exists()
    tombstone = Tombstone.objects.get()
    assert (tombstone.kind, tombstone.key) == ("observation", row.sync_id)
    assert (tombstone.session_key, tombstone.project_name, tombstone.deleted_at) == ("s1", "harbor", THEN)
    relation.refresh_from_db()
    assert (relation.judgment_status, relation.target, relation.target_sync_id) == ("orphaned", None, row.sync_id)
    ref = f"observation:{row.pk}"
    assert told()[-1] == ("observation.deleted", ref)
    assert set(Change.objects.filter(ref=ref).values_list("title", flat=True)) == {""}


def test_the_feed_forgets_a_purged_title_wherever_it_stands(row: Observation) -> None:
    other = make_observation("Other", content="Other words.", at=NOW)
    relations.compare(a=other.pk, b=row.pk, relation="related", confidence=1, reasoning="Both.", at=NOW)
    observations.delete(pk=row.pk, hard=True, at=THEN)
    titles = Change.objects.exclude(title="").values_list("kind", "title")
    assert list(titles) == [("observation.saved", "Other")]


@pytest.mark.parametrize("pk", [0, -1, 12345, 2**63, 2**80])
def test_nothing_happens_to_what_is_not_there(db: None, pk: int) -> None:
    acts: list[Callable[[], object]] = [
        lambda: observations.update(pk=pk, edit=Edit(title="x"), at=NOW),
        lambda: observations.delete(pk=pk, at=NOW),
        lambda: observations.delete(pk=pk, hard=True, at=NOW),
        lambda: observations.restore(pk=pk, actor=COMMAND, at=NOW),
        lambda: observations.pin(pk=pk, is_pinned=True, at=NOW),
        lambda: observations.restore_version(pk=pk, number=1, actor=COMMAND, at=NOW),
    ]
    for act in acts:
        with pytest.raises(NotFound, match="observation not found"):
            act()


def test_a_deleted_observation_is_neither_changed_nor_pinned(row: Observation) -> None:
    observations.delete(pk=row.pk, at=NOW)
    with pytest.raises(NotFound):
        _update(row, title="x")
    with pytest.raises(NotFound):
        observations.pin(pk=row.pk, is_pinned=True, at=NOW)
