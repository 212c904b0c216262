from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory.models import Change, Observation, Relation
from tests.memory.api.engram.agents import Agent


@pytest.fixture
def pair(harbor: Agent) -> tuple[int, int, str]:
    """Two memories that are alike, and the id of the verdict that is asked for."""
    old = harbor.save("Lease manager listens on 4242", "It does")
    new = harbor.save("Lease manager moved to 4243", "It did")
    judgment: str = new["judgment_id"]
    return old["id"], new["id"], judgment


def test_takes_a_verdict(harbor: Agent, pair: tuple[int, int, str]) -> None:
    body = {
        "judgment_id": pair[2],
        "relation": "supersedes",
        "reason": "Newer <private>k</private>",
        "confidence": 0.9,
        "session_id": "s1",
    }
    status, reply = harbor.ask("POST /conflicts/judge", body)
    told = reply["relation"]
    assert status == 200
    assert told.pop("created_at") and told.pop("updated_at") and told.pop("id")
    assert told == {
        "sync_id": pair[2],
        "source_id": Observation.objects.get(pk=pair[1]).sync_id,
        "target_id": Observation.objects.get(pk=pair[0]).sync_id,
        "relation": "supersedes",
        "reason": "Newer [REDACTED]",
        "confidence": 0.9,
        "judgment_status": "judged",
        "marked_by_actor": "agent",
        "marked_by_kind": "agent",
        "session_id": "s1",
    }
    assert Change.objects.filter(kind="relation.judged", ref=f"observation:{pair[1]}").count() == 1
    again = harbor.ask("POST /conflicts/judge", {"judgment_id": pair[2], "relation": "compatible"})[1]["relation"]
    assert again["relation"] == "compatible" and "confidence" not in again


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"judgment_id": ""}, "judgment_id"),
        ({"judgment_id": "rel-0"}, "not found"),
        ({"relation": None}, "relation"),
        ({"relation": "pending"}, "relation"),
        ({"relation": "hates"}, "relation"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": -1}, "confidence"),
        ({"confidence": "1"}, "confidence"),
    ],
)
def test_refuses_a_verdict(harbor: Agent, pair: tuple[int, int, str], change: dict[str, object], word: str) -> None:
    body = {"judgment_id": pair[2], "relation": "related"} | change
    assert word in harbor.refused(400, "POST /conflicts/judge", body)["error"]
    assert Relation.objects.get().judgment_status == "pending"


def test_takes_a_comparison(harbor: Agent, pair: tuple[int, int, str]) -> None:
    old, new, judgment = pair
    body = {"memory_id_a": old, "memory_id_b": new, "relation": "not_conflict", "confidence": 1, "reasoning": "Both"}
    assert harbor.ask("POST /conflicts/compare", body | {"model": "m"}) == (200, {"sync_id": judgment})
    row = Relation.objects.get()
    assert (row.source_id, row.target_id, row.relation) == (old, new, "not_conflict")
    assert (row.marked_by_actor, row.marked_by_kind, row.marked_by_model) == ("engram", "system", "m")
    other = harbor.save("Something else")["id"]
    fresh = harbor.ask("POST /conflicts/compare", body | {"memory_id_b": other})[1]["sync_id"]
    assert fresh.startswith("rel-") and fresh != judgment


def test_wants_all_of_a_comparison(harbor: Agent, pair: tuple[int, int, str]) -> None:
    body = {"memory_id_a": pair[0], "memory_id_b": pair[1], "relation": "related", "confidence": 0, "reasoning": "x"}
    for name in body:
        reply = harbor.refused(400, "POST /conflicts/compare", {**body, name: None})
        assert reply["error"] == f"{name} is required"
    reply = harbor.refused(404, "POST /conflicts/compare", body | {"memory_id_a": 999})
    assert reply["error"].startswith("observation id=999 not found")
    harbor.refused(400, "POST /conflicts/compare", body | {"memory_id_a": pair[1]})
    harbor.begin("s2", "gate")
    elsewhere = harbor.save("Elsewhere", session="s2")["id"]
    harbor.refused(400, "POST /conflicts/compare", body | {"memory_id_a": elsewhere})


def test_lists_conflicts_and_counts_them(harbor: Agent, pair: tuple[int, int, str]) -> None:
    found = harbor.get("/conflicts", project="harbor")
    assert (found["total"], found["limit"], found["offset"]) == (1, 50, 0)
    [one] = found["relations"]
    assert one.pop("created_at") and one.pop("updated_at")
    row = Relation.objects.get()
    assert one == {
        "id": row.pk,
        "sync_id": pair[2],
        "relation": "pending",
        "judgment_status": "pending",
        "source_id": row.source_sync_id,
        "source_title": "Lease manager moved to 4243",
        "target_id": row.target_sync_id,
        "target_title": "Lease manager listens on 4242",
    }
    counted = {"by_relation": {"pending": 1}, "by_judgment_status": {"pending": 1}, "deferred": 0, "dead": 0}
    assert harbor.get("/conflicts/stats", project="harbor") == {"project": "harbor", **counted}
    assert harbor.get("/conflicts/stats", all_projects="true") == {"project": "", **counted}
    detail = harbor.get(f"/conflicts/{row.pk}")
    assert (detail["relation_id"], detail["source_snippet"]) == (row.pk, "Lease manager moved to 4243")
    harbor.refused(400, "GET /conflicts/abc")
    harbor.refused(404, f"GET /conflicts/{row.pk + 1}")


def test_restricts_the_list(harbor: Agent, pair: tuple[int, int, str]) -> None:
    def total(**query: object) -> int:
        number: int = harbor.get("/conflicts", **query)["total"]
        return number

    now = datetime.now(UTC)
    assert total(status="pending") == 1
    assert total(status="judged") == total(project="nobody") == total(since=(now + timedelta(days=1)).isoformat()) == 0
    assert total(since=(now - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")) == 1
    assert harbor.get("/conflicts", offset=1) == {"total": 1, "limit": 50, "offset": 1, "relations": []}
    for since in ("yesterday", "2026-01-05", "0001-01-01T00:00:00+14:00"):
        harbor.refused(400, "GET /conflicts", since=since)
    harbor.ask("POST /conflicts/judge", {"judgment_id": pair[2], "relation": "not_conflict"})
    assert total() == 0


def test_looks_for_pairs_that_nobody_judged(harbor: Agent, pair: tuple[int, int, str]) -> None:
    Relation.objects.all().delete()
    status, dry = harbor.ask("POST /conflicts/scan", {"project": "harbor"})
    assert status == 200
    assert (dry["inspected"], dry["candidates_found"], dry["inserted"], dry["dry_run"]) == (2, 1, 0, True)
    assert "next_cursor" not in dry
    done = harbor.ask("POST /conflicts/scan", {"apply": True})[1]
    assert (done["inserted"], done["already_related"], done["project"]) == (1, 0, "")
    again = harbor.ask("POST /conflicts/scan", {"apply": True})[1]
    assert (again["inserted"], again["already_related"]) == (0, 1)
    part = harbor.ask("POST /conflicts/scan", {"limit": 1})[1]
    assert (part["inspected"], part["next_cursor"]) == (1, pair[0])
    for body in ({"limit": 101}, {"cursor": -1}, {"semantic": True}, {"since": "soon"}, {"project": "a/b"}):
        harbor.refused(400, "POST /conflicts/scan", body)


def test_keeps_relations_whose_memory_is_not_here_yet(harbor: Agent) -> None:
    here = Observation.objects.get(pk=harbor.save("Tides")["id"])
    Relation.objects.create(
        sync_id="rel-1", source=here, source_sync_id=here.sync_id, target_sync_id="obs-later", project=here.project
    )
    found = harbor.get("/conflicts/deferred")
    assert (found["total"], found["rows"][0]["sync_id"], found["rows"][0]["apply_status"]) == (1, "rel-1", "deferred")
    waits = {"retried": 1, "succeeded": 0, "failed": 1, "dead": 0}
    assert harbor.ask("POST /conflicts/deferred/replay") == (200, waits)
    harbor.refused(400, "POST /conflicts/judge", {"judgment_id": "rel-1", "relation": "related"})
    later = harbor.save("Gates")["id"]
    Observation.objects.filter(pk=later).update(sync_id="obs-later")
    joined = {"retried": 1, "succeeded": 1, "failed": 0, "dead": 0}
    assert harbor.ask("POST /conflicts/deferred/replay") == (200, joined)
    assert Relation.objects.get().target_id == later
    assert harbor.get("/conflicts/deferred")["total"] == 0


def test_orphans_the_relations_of_what_is_deleted_for_good(harbor: Agent, pair: tuple[int, int, str]) -> None:
    harbor.ask(f"DELETE /observations/{pair[0]}", hard="true")
    assert harbor.get("/conflicts", status="orphaned")["total"] == 1
    assert harbor.get("/conflicts/deferred")["total"] == 0
