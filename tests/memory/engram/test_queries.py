"""What is asked about observations and registered sessions."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.engram import observations, queries
from memory.models import Observation
from memory.projects import queries as projects
from memory.sessions import queries as sessions
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.engram.makers import make_observation, make_prompt, make_session

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def test_lists_live_observations_by_what_is_asked() -> None:
    quay = make_session("s2", project="quay")
    row = make_observation("One", type="decision", scope="personal", at=NOW)
    gone, foreign = make_observation("Two"), make_observation("Three", session_id="s2")
    observations.delete(pk=gone.pk, at=NOW)
    asked: list[tuple[dict[str, object], set[Observation]]] = [
        ({}, {row, foreign}),
        ({"project": row.project}, {row}),
        ({"scope": "Personal"}, {row}),
        ({"scope": "nonsense"}, {foreign}),
        ({"type": "decision"}, {row}),
        ({"session": quay}, {foreign}),
        ({"session": quay, "type": "decision"}, set()),
    ]
    for wanted, expected in asked:
        assert set(queries.observations(**wanted)) == expected, wanted  # type: ignore[arg-type]


def test_finds_one_observation(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    row = make_observation(operation_id="op1")
    with django_assert_num_queries(1):
        found = queries.find(row.pk)
        assert found is not None
        assert (found.session.key, found.project.name) == ("s1", "harbor")
    observations.delete(pk=row.pk, at=NOW)
    assert queries.find(row.pk) is None
    assert queries.find(row.pk, may_be_deleted=True) == queries.saved_by("op1") == row
    for pk in (0, -1, 2**63):
        assert queries.find(pk, may_be_deleted=True) is None
    for operation in ("", "\0", "op2"):
        assert queries.saved_by(operation) is None


def test_finds_one_prompt() -> None:
    row = make_prompt()
    assert queries.find_prompt(row.pk) == row
    assert queries.find_prompt(2**63) is None


def test_counts_memories() -> None:
    rows = [make_observation(name, type=kind, at=NOW) for name, kind in (("a", "decision"), ("b", "x"), ("c", "x"))]
    make_prompt()
    observations.pin(pk=rows[0].pk, is_pinned=True, at=NOW)
    observations.delete(pk=rows[1].pk, at=NOW)
    counts = queries.counts(rows[0].project, now=NOW + timedelta(days=200))
    assert counts == queries.Counts(live=2, pinned=1, due=1, deleted=1, prompts=1)
    assert queries.counts(now=NOW).due == 0


def test_the_most_recent_sessions_are_those_that_saved_last(tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(session="journal")}), name="harbor")
    for key, age in (("old", 3), ("new", 1), ("silent", 2)):
        make_session(key, at=NOW - timedelta(days=age))
    make_observation(session_id="old", at=NOW)
    gone = make_observation("Gone", session_id="silent", at=NOW + timedelta(hours=1))
    observations.delete(pk=gone.pk, at=NOW)
    found = queries.recent_sessions(gone.project)
    counted = [(session.key, session.observation_count) for session in found]  # type: ignore[attr-defined]
    assert counted == [("old", 1), ("new", 0), ("silent", 0)]
    assert [session.key for session in queries.recent_sessions(limit=1)] == ["old"]
    assert len(queries.recent_sessions(limit=-1)) == 3


def test_at_the_same_moment_the_higher_id_comes_first() -> None:
    for key in "acb":
        make_session(key, at=NOW)
    assert [session.key for session in queries.recent_sessions()] == ["c", "b", "a"]


def test_sessions_and_projects_are_counted_without_what_is_deleted() -> None:
    row, gone = make_observation("One"), make_observation("Two")
    make_prompt()
    observations.delete(pk=gone.pk, at=NOW)
    session = sessions.find("s1")
    counts = (session.entry_count, session.observation_count, session.prompt_count)  # type: ignore[union-attr]
    assert counts == (0, 1, 1)
    assert projects.overview().get(pk=row.project_id).observation_count == 1  # type: ignore[attr-defined]
