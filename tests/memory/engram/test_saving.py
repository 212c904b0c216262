"""Saving observations: new ones, repetitions, revisions of a topic, replays, refusals and passive captures."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.engram import observations
from memory.engram.errors import (
    EngramError,
    Invalid,
    OperationConflict,
    OwnershipRequired,
    ProjectMismatch,
    SessionNotFound,
)
from memory.engram.observations import Captured
from memory.engram.text import LIMIT, MARK
from memory.models import Observation, Project, Session
from tests.memory.engram.counting import costs
from tests.memory.engram.makers import make_session, told

pytestmark = pytest.mark.django_db

NOW = timezone.now()
LEARNED = """Done.

## Key Learnings:

1. The lease manager keeps its leases in Redis
2. `Cranes` are moved by **one** worker at a time
3. too short
"""


def _save(**over: object) -> observations.Saved:
    values = {"session_id": "s1", "title": "Leases", "content": "Leases are kept in Redis.", "at": NOW}
    return observations.save(**values | over)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def session(db: None) -> Session:
    return make_session(at=NOW - timedelta(hours=1))


def test_saves_a_memory(session: Session) -> None:
    saved = _save(
        type="decision", scope="Personal", topic_key=" Harbor  Leases ", tool_name="mem_save", project="Harbor"
    )
    row = Observation.objects.get()
    assert (saved.observation, saved.outcome) == (row, "inserted")
    assert (row.session, row.project, row.project_label) == (session, session.project, "Harbor")
    assert (row.type, row.title, row.content) == ("decision", "Leases", "Leases are kept in Redis.")
    assert (row.scope, row.topic_key, row.tool_name) == ("personal", "harbor-leases", "mem_save")
    assert (row.revision_count, row.duplicate_count, row.is_pinned, row.full_size) == (1, 1, False, None)
    assert (row.created_at, row.updated_at, row.last_seen_at, row.deleted_at) == (NOW, NOW, NOW, None)
    assert row.sync_id.startswith("obs-")
    assert len(row.sync_id) == 20
    assert told()[-1] == ("observation.saved", f"observation:{row.pk}")
    session.refresh_from_db()
    assert (session.last_activity_at, session.last_seen_at) == (NOW, NOW - timedelta(hours=1))


@pytest.mark.parametrize(("type_", "months"), [("decision", 6), ("policy", 12), ("preference", 3), ("bugfix", 0)])
def test_says_when_a_memory_is_to_be_reviewed(type_: str, months: int) -> None:
    due = _save(type=type_).observation.review_after
    assert (due is None) == (months == 0)
    if due:
        assert (due.year - NOW.year) * 12 + due.month - NOW.month == months


def test_a_save_costs_few_statements() -> None:
    with costs(5, more_on_postgres=2):
        _save()
    with costs(6, more_on_postgres=2):
        _save(topic_key="a/b", content="Other words.")
    with costs(6, more_on_postgres=2):
        _save()


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"title": "  "}, "observation title is required"),
        ({"title": "", "content": ""}, "observation title is required"),
        ({"content": ""}, "session_id and content are required"),
        ({"session_id": ""}, "session_id and content are required"),
        ({"content": " \n "}, "observation content is required"),
        ({"operation_id": "x" * 201}, "operation_id is longer"),
    ],
)
def test_refuses_what_says_nothing(over: dict[str, object], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        _save(**over)
    assert not Observation.objects.exists()


def test_redacts_before_anything_is_stored_or_told() -> None:
    row = _save(
        title="<private>a</private>",
        content="Key <PRIVATE>b\nc</private> and <private>d",
        type="<private>e</private>",
        topic_key="k/<private>f</private>",
        tool_name="<private>g</private>",
    ).observation
    assert (row.title, row.content) == ("[REDACTED]", "Key [REDACTED] and [REDACTED]")
    assert (row.type, row.topic_key, row.tool_name) == ("[REDACTED]", "k/[redacted]", "[REDACTED]")


@pytest.mark.parametrize("last", ["ñ", "🦀", "a"])
def test_cuts_between_characters_and_says_how_much_there_was(last: str) -> None:
    """B30: the limit lies inside a character."""
    content = "x" * (LIMIT - 1) + last + "y"
    row = _save(content=content).observation
    kept = row.content.removesuffix(MARK)
    assert row.full_size == len(content.encode())
    assert row.content.endswith(MARK)
    assert content.startswith(kept)
    assert len(kept.encode()) in {LIMIT - 1, LIMIT}


def test_the_same_words_within_a_quarter_of_an_hour_are_a_repetition() -> None:
    first = _save().observation
    again = _save(content="leases   ARE kept\nin redis.", at=NOW + timedelta(minutes=14))
    assert (again.observation, again.outcome) == (first, "duplicate")
    first.refresh_from_db()
    assert (first.duplicate_count, first.revision_count, first.content) == (2, 1, "Leases are kept in Redis.")
    assert (first.created_at, first.updated_at, first.last_seen_at) == (NOW, *[NOW + timedelta(minutes=14)] * 2)
    assert told()[-1] == ("observation.updated", f"observation:{first.pk}")
    assert _save(at=NOW + timedelta(minutes=16)).outcome == "inserted"


@pytest.mark.parametrize("over", [{"title": "Other"}, {"type": "bugfix"}, {"scope": "global"}, {"session_id": "s2"}])
def test_other_titles_types_scopes_and_projects_are_other_memories(over: dict[str, object]) -> None:
    make_session("s2", project="quay")
    _save()
    assert _save(**over).outcome == "inserted"


def test_a_deleted_memory_is_not_repeated() -> None:
    observations.delete(pk=_save(topic_key="a/b").observation.pk, at=NOW)
    assert _save().outcome == "inserted"
    assert _save(topic_key="a/b", content="New.").outcome == "inserted"


def test_a_topic_is_revised_and_keeps_what_it_said() -> None:
    make_session("s2")
    first = _save(topic_key="a/b", type="decision").observation
    observations.pin(pk=first.pk, is_pinned=True, at=NOW)
    then = NOW + timedelta(days=30)
    saved = _save(
        topic_key="A/B", type="bugfix", title="Cranes", content="New.", session_id="s2", tool_name="t", at=then
    )
    row = Observation.objects.get()
    assert (saved.observation, saved.outcome, row.pk) == (row, "revised", first.pk)
    assert (row.type, row.title, row.content, row.tool_name) == ("bugfix", "Cranes", "New.", "t")
    assert (row.session.key, row.revision_count, row.duplicate_count, row.is_pinned) == ("s2", 2, 1, True)
    assert (row.created_at, row.updated_at, row.last_seen_at) == (NOW, then, then)
    assert row.review_after == first.review_after
    version = row.versions.get()
    assert (version.number, version.title, version.content, version.type) == (1, "Leases", first.content, "decision")
    assert (version.created_at, version.replaced_at, version.replaced_by) == (NOW, then, "")
    assert told()[-1] == ("observation.updated", f"observation:{row.pk}")


def test_the_same_words_of_a_topic_make_a_revision_without_a_version() -> None:
    _save(topic_key="a/b")
    row = _save(topic_key="a/b").observation
    assert (row.revision_count, row.duplicate_count, row.versions.count()) == (2, 1, 0)


def test_topics_of_other_scopes_and_projects_are_others() -> None:
    make_session("s2", project="quay")
    rows = {_save(topic_key="a/b", **over).observation.pk for over in ({}, {"scope": "global"}, {"session_id": "s2"})}
    assert len(rows) == 3


def test_an_operation_that_comes_again_returns_what_it_saved() -> None:
    first = _save(operation_id="op1").observation
    before = told()
    assert _save(operation_id="op1", at=NOW + timedelta(days=1)).observation == first
    first.refresh_from_db()
    assert (first.duplicate_count, told()) == (1, before)
    with pytest.raises(OperationConflict):
        _save(operation_id="op1", content="Other words.")


def test_an_operation_that_revised_a_topic_can_come_again() -> None:
    first = _save(topic_key="a/b", operation_id="op1").observation
    _save(topic_key="a/b", content="New.", operation_id="op2")
    _save(topic_key="a/b", content="New.", operation_id="op2")
    first.refresh_from_db()
    assert (first.revision_count, first.operation_id) == (2, "op2")


def test_the_project_of_a_save_is_its_sessions() -> None:
    make_session("s2", project="quay", ownership_mode="shared")
    with pytest.raises(ProjectMismatch) as refused:
        _save(session_id="s2", project="Harbor")
    assert refused.value.fields == {"session_project": "quay", "project": "harbor"}
    with pytest.raises(SessionNotFound):
        _save(session_id="nobody", project="harbor")
    assert not Observation.objects.exists()


@pytest.mark.parametrize("name", ["HARBOR", " harbor ", "old-harbor"])
def test_any_name_of_the_project_will_do(session: Session, name: str) -> None:
    session.project.aliases.create(name="old-harbor")
    row = _save(project=name).observation
    assert (row.project.name, row.project_label) == ("harbor", "" if name.strip() == "harbor" else name.strip())


def test_a_save_without_project_and_session_needs_an_owner() -> None:
    with pytest.raises(OwnershipRequired) as refused:
        _save(session_id="nobody")
    assert refused.value.code == "project_ownership_required"
    Project.objects.create(name="no project")
    make_session("s2", project="no project")
    with pytest.raises(OwnershipRequired):
        _save(session_id="s2")


def test_an_ended_session_still_takes_memories(session: Session) -> None:
    Session.objects.update(ended_at=NOW)
    assert _save().observation.session == session


@given(st.text(), st.text(), st.text(), st.text(), st.text(max_size=250))
def test_takes_any_text_or_says_why_not(title: str, content: str, type_: str, topic: str, operation: str) -> None:
    try:
        row = _save(title=title, content=content, type=type_, topic_key=topic, tool_name=type_, operation_id=operation)
    except EngramError:
        return
    stored = Observation.objects.get(pk=row.observation.pk)
    assert (stored.title, stored.content) == (row.observation.title, row.observation.content)
    assert stored.type


def test_a_save_reads_no_more_than_it_needs() -> None:
    """Without these indexes each save would read all memories of the project."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL decides by the size of the table")
    with CaptureQueriesContext(connection) as queries:
        _save(topic_key="a/b", operation_id="op1")
    reads = [query["sql"] for query in queries if 'FROM "memory_observation"' in query["sql"]]
    with connection.cursor() as cursor:
        plans = [str(cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()) for sql in reads]
    wanted = ("observation_once_an_operation", "observation_topic", "observation_hash")
    assert [name in plan for name, plan in zip(wanted, plans, strict=True)] == [True] * 3, plans


def test_captures_what_was_learned() -> None:
    assert observations.capture_passive(session_id="s1", content=LEARNED, source="task", at=NOW) == Captured(2, 2, 0)
    first, second = Observation.objects.order_by("pk")
    assert (first.type, first.scope, first.tool_name) == ("passive", "project", "task")
    assert first.title == first.content == "The lease manager keeps its leases in Redis"
    assert second.content == "Cranes are moved by one worker at a time"
    assert [kind for kind, _ in told()[1:]] == ["observation.saved", "observation.saved"]


def test_captures_nothing_twice_however_old_it_is() -> None:
    _save(content="the lease manager keeps ITS leases in redis", type="decision", at=NOW - timedelta(days=400))
    twice = LEARNED.replace("3. too short", "3. Cranes are moved by one worker at a time")
    assert observations.capture_passive(session_id="s1", content=twice, at=NOW) == Captured(3, 1, 2)
    assert observations.capture_passive(session_id="s1", content=twice, at=NOW) == Captured(3, 0, 3)


def test_a_long_learning_gets_a_short_title() -> None:
    content = "## Learnings\n- " + "ñandú cruza el muelle " * 10
    observations.capture_passive(session_id="s1", content=content, at=NOW)
    title = Observation.objects.get().title
    assert title.endswith("...")
    assert len(title.encode()) in {62, 63}


def test_a_capture_without_learnings_saves_nothing_but_asks_for_its_session() -> None:
    before = told()
    assert observations.capture_passive(session_id="s1", content="Nothing to see.", at=NOW) == Captured(0, 0, 0)
    assert told() == before
    with pytest.raises(Invalid, match="session_id is required"):
        observations.capture_passive(session_id=" ", content=LEARNED, at=NOW)
    with pytest.raises(SessionNotFound):
        observations.capture_passive(session_id="x", content=LEARNED, project="harbor", at=NOW)
    with pytest.raises(ProjectMismatch):
        observations.capture_passive(session_id="s1", content=LEARNED, project="quay", at=NOW)
