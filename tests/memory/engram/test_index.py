"""Observations and prompts can be found as soon as they are saved, and no longer once they are deleted."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.engram import curation, observations, prompts, sessions
from memory.engram.observations import Edit
from memory.models import SearchDocument, SearchVectors
from memory.projects import merging
from memory.projects import queries as projects
from memory.search import index, meaning
from memory.search.query import search
from tests.memory.engram.makers import make_observation, make_prompt, make_session

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def _refs(query: str) -> list[str]:
    return [hit.ref for hit in search(query).items if hit.kind != "session"]


def test_finds_a_memory_with_what_is_known_of_it() -> None:
    make_session(platform="dsh")
    row = make_observation("Leases", content="They are kept in Redis.", type="decision", topic_key="harbor/quorum")
    (hit,) = search("redis").items
    assert (hit.ref, hit.kind, hit.type, hit.title) == (f"observation:{row.pk}", "observation", "decision", "Leases")
    assert (hit.project, hit.session, hit.platform, hit.when) == ("harbor", "s1", "dsh", row.updated_at)
    for query in ("lease", "quorum", "redis type:decision", "redis kind:observation platform:dsh session:s1"):
        assert _refs(query) == [hit.ref], query
    assert _refs("redis type:bugfix") == []


def test_finds_a_prompt() -> None:
    make_session(platform="dsh")
    row = make_prompt("Where do the leases expire?\n\nLook into Redis too.", at=NOW)
    (hit,) = search("redis kind:prompt").items
    assert (hit.ref, hit.kind, hit.title) == (f"prompt:{row.pk}", "prompt", "Where do the leases expire?")
    assert (hit.session, hit.platform, hit.when) == ("s1", "dsh", NOW)
    prompts.delete(pk=row.pk, at=NOW)
    assert _refs("redis") == []


def test_follows_what_happens_to_a_memory() -> None:
    row = make_observation("Leases", content="They are kept in Redis.")
    ref = [f"observation:{row.pk}"]
    observations.update(pk=row.pk, edit=Edit(content="They are kept in Valkey."), at=NOW)
    assert (_refs("redis"), _refs("valkey"), _refs("valkey is:pinned")) == ([], ref, [])
    observations.pin(pk=row.pk, is_pinned=True, at=NOW)
    assert _refs("valkey is:pinned") == ref
    observations.pin(pk=row.pk, is_pinned=False, at=NOW)
    assert _refs("valkey is:pinned") == []
    observations.delete(pk=row.pk, at=NOW)
    assert _refs("valkey") == []
    observations.restore(pk=row.pk, actor=COMMAND, at=NOW)
    assert _refs("valkey") == ref


def test_nothing_of_a_purged_memory_stays_in_the_index() -> None:
    row = make_observation("Leases", content="They are kept in Redis.")
    assert _refs("redis")
    meaning.fill()
    assert SearchVectors.objects.filter(document__ref=f"observation:{row.pk}").exists()
    curation.delete(pks=[row.pk], actor=COMMAND, at=NOW)
    curation.purge(pks=[row.pk], actor=COMMAND, at=NOW)
    assert _refs("redis") == []
    assert list(SearchDocument.objects.values_list("key", flat=True)) == ["session:s1"]
    assert set(SearchVectors.objects.values_list("document__key", flat=True)) <= {"session:s1"}


def test_a_deleted_session_takes_its_prompts_out_of_the_index() -> None:
    make_prompt("Where is Redis?")
    assert _refs("redis")
    sessions.delete(id="s1", at=NOW)
    assert _refs("redis") == []
    assert not SearchDocument.objects.exists()


def test_an_index_that_is_made_anew_holds_the_same() -> None:
    make_prompt("Where is Redis?")
    observations.pin(pk=make_observation("In Redis").pk, is_pinned=True, at=NOW)
    observations.delete(pk=make_observation("Gone from Redis", content="x").pk, at=NOW)
    index.follow()
    facts = ("key", "kind", "type", "session", "is_pinned", "when", "title", "text")
    followed = list(SearchDocument.objects.order_by("key").values_list(*facts))
    SearchDocument.objects.all().delete()
    index.rebuild(at=NOW)
    assert list(SearchDocument.objects.order_by("key").values_list(*facts)) == followed
    assert index.drift() == index.Drift([], [])


def test_memories_move_with_their_project() -> None:
    make_session("s2", project="quay")
    moved = [f"observation:{make_observation('In Redis').pk}", f"prompt:{make_prompt('Where is Redis?').pk}"]
    source, target = projects.find("harbor"), projects.find("quay")
    assert source
    assert target
    merging.merge(source=source, target=target, actor=COMMAND, at=NOW)
    assert sorted(_refs("redis project:quay")) == sorted(moved)
