from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from memory.mcp.caller import Caller
from memory.models import Observation, Relation, Session
from tests.mcp.callers import read, refused, refused_as, said, use
from tests.memory.engram.makers import make_observation, make_session


def test_changes_what_is_given(agent: Caller) -> None:
    row = make_observation(content="One and one")

    told = read(agent, "mem_update", id=row.pk, find="one", replace="two", type="bugfix", expected_project="Harbor")

    assert told["result"] == f'Memory updated: #{row.pk} "Leases are kept in Redis" (bugfix, scope=project)'
    row.refresh_from_db()
    assert (row.content, row.revision_count) == ("One and two", 2)
    told = read(agent, "mem_update", id=row.pk, content="x" * 50_001)
    assert told["truncation"]["truncated"] is True
    assert "truncated from 50001 to 50000 bytes" in told["result"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "at least one field is required"),
        ({"title": " "}, "observation title is required"),
        ({"title": "x", "expected_project": "tide"}, "expected_project does not match observation owner"),
    ],
)
def test_refuses_edits_that_cannot_be(agent: Caller, given: dict[str, str], message: str) -> None:
    row = make_observation()
    assert refused(agent, "mem_update", id=row.pk, **given) == f"Failed to update memory: {message}"
    assert Observation.objects.get().revision_count == 1


def test_deletes_softly_or_for_good(agent: Caller) -> None:
    row = make_observation()
    assert use(agent, "mem_delete", id=row.pk) == f"Memory #{row.pk} soft-deleted"
    assert refused(agent, "mem_delete", id=row.pk) == "Failed to delete memory: observation not found"
    assert use(agent, "mem_delete", id=row.pk, hard_delete=True) == f"Memory #{row.pk} permanently deleted"
    assert not Observation.objects.exists()


def test_pins_and_unpins(agent: Caller) -> None:
    row = make_observation()
    expected = {"result": f"Memory #{row.pk} pinned", "id": row.pk, "sync_id": row.sync_id, "pinned": True}
    assert read(agent, "mem_pin", id=row.pk) == expected
    assert "### Pinned" in said(agent, "mem_context")
    assert read(agent, "mem_unpin", id=row.pk)["result"] == f"Memory #{row.pk} unpinned"
    assert refused(agent, "mem_pin", id=0) == "Failed to update pin state: observation not found"


def test_reviews(agent: Caller) -> None:
    assert said(agent, "mem_review", action="list") == "No memories need review."
    row = make_observation(type="decision")
    Observation.objects.update(review_after=now() - timedelta(days=1))

    told = read(agent, "mem_review", action="list", limit=0)

    (item,) = told["observations"]
    assert told["result"] == (
        f"Found 1 memories needing review:\n\n[1] #{row.pk} (decision) — {row.title}\n"
        f"    state: needs_review | project: harbor | review_after: {item['review_after']}\n"
    )
    marked = read(agent, "mem_review", action="mark_reviewed", id=row.pk)
    assert marked["result"] == f'Memory marked reviewed: #{row.pk} "{row.title}" (decision)'
    assert marked["state"] == "active"
    assert refused(agent, "mem_review", action="mark_reviewed") == "observation_id is required for mark_reviewed"
    assert refused(agent, "mem_review", action="burn") == "action must be one of: list, mark_reviewed"


def test_judges_candidates(agent: Caller) -> None:
    read(agent, "mem_save", title="Leases live in SQLite", content="One.")
    judgment = read(agent, "mem_save", title="Leases live in Redis", content="Two.")["judgment_id"]

    told = read(agent, "mem_judge", judgment_id=judgment, relation="supersedes", reason="Newer", confidence=0.9)

    row = Relation.objects.get()
    assert (told["relation"]["relation"], told["relation"]["judgment_status"]) == ("supersedes", "judged")
    assert (row.marked_by_actor, row.marked_by_kind, row.confidence) == ("agent", "agent", 0.9)
    assert refused(agent, "mem_judge", judgment_id="rel-0", relation="related") == "relation 'rel-0' not found"
    assert refused(agent, "mem_judge", judgment_id=judgment, relation="pending").startswith("relation must be one of")
    assert refused(agent, "mem_judge", judgment_id=judgment, relation="related", confidence=2) == (
        "confidence must be between 0 and 1"
    )
    assert refused(agent, "mem_judge", relation="related") == "judgment_id is required"


def test_records_comparisons(agent: Caller) -> None:
    one, other = make_observation("One"), make_observation("Other")
    given = {"memory_id_a": one.pk, "memory_id_b": other.pk, "relation": "not_conflict", "reasoning": "Apart."}

    told = read(agent, "mem_compare", confidence=1, model="m", **given)

    assert told == {"sync_id": Relation.objects.get().sync_id}
    assert refused(agent, "mem_compare", **given) == "confidence is required"
    assert refused(agent, "mem_compare", confidence=1, **given | {"memory_id_b": 99}) == "observation id=99 not found"


def test_a_session_starts_and_ends_once(agent: Caller) -> None:
    assert said(agent, "mem_session_start", id="s1") == 'Session "s1" started for project "harbor"'
    assert said(agent, "mem_session_end", id="s1", summary="Done") == 'Session "s1" completed'
    assert Session.objects.get().summary == "Done"
    body = refused_as(agent, "session_already_ended", "mem_session_start", id="s1")
    assert body["session_id"] == "s1"
    assert said(agent, "mem_session_end", id="never") == 'Session "never" completed'
    make_session("owned", project="tide", ownership_mode="project_owned")
    refused_as(agent, "session_project_mismatch", "mem_session_start", id="owned")
    assert refused(agent, "mem_session_start", id=" ") == "Failed to start session: id and project are required"


def test_merges_spellings_of_one_name(agent: Caller) -> None:
    for name in ("harbor", "har-bor", "harbour", "tide"):
        make_session(name, project=name)
        make_observation(name, session_id=name)

    assert use(agent, "mem_merge_projects", **{"from": "har_bor, Har-Bor,harbour", "to": "Harbor"}) == (
        'Merged 2 source(s) into "harbor":\n  Observations moved: 2\n  Sessions moved:     2\n  Prompts moved:      0\n'
    )
    assert use(agent, "mem_merge_projects", **{"from": "harbour", "to": "harbor"}).startswith(
        'No records moved into "harbor".\n'
    )
    assert refused(agent, "mem_merge_projects", **{"from": "harbor,tide", "to": "harbor"}) == (
        'Merge failed: "tide" and "harbor" are unrelated names; a person can merge them in MemDock.'
    )
    assert refused(agent, "mem_merge_projects", **{"from": ",", "to": "harbor"}) == "both 'from' and 'to' are required"


def test_lists_projects(agent: Caller) -> None:
    assert read(agent, "mem_list_projects") == {"projects": [], "count": 0}
    make_observation()
    (row,) = read(agent, "mem_list_projects")["projects"]
    assert row == {
        "name": "harbor",
        "observation_count": 1,
        "session_count": 1,
        "prompt_count": 0,
        "directories": [],
    }
