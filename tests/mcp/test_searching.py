from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from memory.engram import observations, relations
from memory.mcp.caller import Caller
from memory.models import Observation
from tests.mcp.callers import read, refused, said, use
from tests.memory.engram.makers import make_observation, make_session


def _local(row: Observation) -> str:
    return timezone.localtime(row.created_at).strftime("%Y-%m-%d %H:%M:%S")


def _compare(one: Observation, other: Observation, verb: str) -> None:
    relations.compare(a=one.pk, b=other.pk, relation=verb, confidence=1, reasoning="So.", at=timezone.now())


def test_lists_what_it_found(agent: Caller) -> None:
    row = make_observation(type="decision", content="Because of " + "x" * 300, topic_key="store/leases")

    told = read(agent, "mem_search", query="leases redis")

    assert told["result"] == (
        "Found 1 memories:\n\n"
        f"[1] #{row.pk} (decision) — Leases are kept in Redis\n"
        f"    Because of {'x' * 289} [preview]\n"
        f"    {_local(row)} | project: harbor | scope: project\n"
        "\n"
        "---\nResults above are previews (300 chars). To read the full content of a specific memory, "
        "call mem_get_observation(id: <ID>).\n"
    )
    assert told["results"] == [
        {
            "id": row.pk,
            "sync_id": row.sync_id,
            "title": "Leases are kept in Redis",
            "type": "decision",
            "state": "active",
            "scope": "project",
            "pinned": False,
            "project": "harbor",
            "topic_key": "store/leases",
            "review_after": told["results"][0]["review_after"],
        }
    ]


def test_says_that_nothing_was_found(agent: Caller) -> None:
    assert read(agent, "mem_search", query='no "such" thing') == {
        "project": "harbor",
        "project_source": "process_override",
        "project_path": "",
        "result": 'No memories found for: "no \\"such\\" thing"',
    }


def test_annotates_what_was_judged(agent: Caller) -> None:
    old, new, third = (
        make_observation(f"Lease rule {name}", topic_key=f"a/{name}") for name in ("old", "new", "third")
    )
    _compare(new, old, "supersedes")
    _compare(third, new, "conflicts_with")
    use(agent, "mem_delete", id=third.pk)
    text = said(agent, "mem_search", query="lease rule")

    assert f"    supersedes: #{old.pk} (Lease rule old)\n" in text
    assert f"    superseded_by: #{new.pk} (Lease rule new)\n" in text
    assert "conflicts:" not in text  # it is the source of a conflict, and deleted
    _compare(new, old, "conflicts_with")
    observations.delete(pk=old.pk, at=timezone.now())
    assert f"    conflicts: #{old.pk} (deleted)\n" in said(agent, "mem_search", query="lease rule")


def test_annotates_what_waits_for_a_verdict(agent: Caller) -> None:
    first = read(agent, "mem_save", title="Leases live in SQLite", content="One.")
    second = read(agent, "mem_save", title="Leases live in Redis", content="Two.")

    text = said(agent, "mem_search", query="leases live")

    assert f"    conflict: contested by #{first['sync_id']} (pending)\n" in text
    assert f"    conflict: contested by #{second['sync_id']} (pending)\n" in text


def test_tells_data_when_compact(agent: Caller) -> None:
    row = make_observation(content="y" * 301)
    other = make_observation("Leases of boats", topic_key="b")
    _compare(row, other, "related")

    told = read(agent, "mem_search", query="leases redis", match_mode="all", response_format="compact")

    assert told["result"] == "Found 1 memories."
    (found,) = told["results"]
    assert (found["preview"], found["truncated"]) == ("y" * 300, True)
    assert [one["target_id"] for one in found["relations"]["as_source"]] == [other.sync_id]
    assert found["relations"]["as_target"] == []


def test_looks_where_it_is_told_to(agent: Caller) -> None:
    make_observation()
    make_session("t1", project="tide")
    elsewhere = make_observation("Leases of tides", session_id="t1", scope="personal")

    assert len(read(agent, "mem_search", query="leases")["results"]) == 1
    assert len(read(agent, "mem_search", query="leases", all_projects=True, project="nowhere")["results"]) == 2
    assert read(agent, "mem_search", query="leases", project="tide")["results"][0]["id"] == elsewhere.pk
    assert read(agent, "mem_search", query="leases", scope="personal")["results"][0]["id"] == elsewhere.pk
    assert len(read(agent, "mem_search", query="leases", all_projects=True, limit=1)["results"]) == 1


def test_marks_what_is_due_for_review(agent: Caller) -> None:
    row = make_observation(type="decision")
    Observation.objects.update(review_after=timezone.now() - timedelta(days=1))

    told = read(agent, "mem_search", query="leases")

    assert f"{_local(row)} | project: harbor | scope: project | state: needs_review\n" in told["result"]
    assert told["results"][0]["state"] == "needs_review"


def test_refuses_what_it_does_not_know(agent: Caller) -> None:
    assert refused(agent, "mem_search", query="x", match_mode="most") == (
        'invalid match_mode "most": must be "all" or "any"'
    )
    assert refused(agent, "mem_search", query="x", response_format="xml") == (
        'invalid response_format "xml": must be "compact"'
    )
    assert refused(agent, "mem_search", query=" ") == "query is required"
