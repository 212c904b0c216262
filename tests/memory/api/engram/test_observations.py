from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.models import Change, Observation
from tests.memory.api.engram.agents import Agent


def test_saves_and_says_what_was_made_of_it(harbor: Agent) -> None:
    reply = harbor.save("Tide tables", "They are cached for an hour", type="decision", topic_key="Tides Cache")
    row = Observation.objects.get()
    assert reply == {
        "id": row.pk,
        "status": "saved",
        "sync_id": row.sync_id,
        "state": "active",
        "judgment_required": False,
        "candidates": [],
    }
    found = harbor.get(f"/observations/{row.pk}")
    for name in ("created_at", "updated_at", "last_seen_at", "review_after"):
        assert len(found.pop(name)) == len("2026-01-05 09:12:00")
    assert found == {
        "id": row.pk,
        "sync_id": row.sync_id,
        "session_id": "s1",
        "type": "decision",
        "title": "Tide tables",
        "content": "They are cached for an hour",
        "project": "harbor",
        "scope": "project",
        "topic_key": "tides-cache",
        "revision_count": 1,
        "duplicate_count": 1,
        "pinned": False,
    }


def test_says_the_same_for_a_repetition_and_a_revision(harbor: Agent) -> None:
    first = harbor.save("Tides", "One hour", topic_key="tides")
    again = harbor.save("Tides", "Two hours", topic_key="tides")
    assert (again["id"], again["status"]) == (first["id"], "saved")
    assert harbor.get(f"/observations/{first['id']}")["revision_count"] == 2
    plain = harbor.save("Gates", "Open")
    assert harbor.save("Gates", "Open")["id"] == plain["id"]
    assert harbor.get(f"/observations/{plain['id']}")["duplicate_count"] == 2


def test_asks_for_a_verdict_on_what_it_may_contradict(harbor: Agent) -> None:
    old = harbor.save("Lease manager listens on 4242", type="config")
    new = harbor.save("Lease manager moved to 4243")
    [candidate] = new["candidates"]
    assert new["judgment_required"] is True
    assert (new["judgment_status"], new["judgment_id"]) == ("pending", candidate["judgment_id"])
    assert candidate["id"] == old["id"] and candidate["sync_id"] == old["sync_id"]
    assert candidate["title"] == "Lease manager listens on 4242" and candidate["type"] == "config"
    assert 0 < candidate["score"] <= 1


def test_redacts_and_keeps_nothing_private(harbor: Agent) -> None:
    pk = harbor.save("Key <private>k1</private>", "<private>k2")["id"]
    found = harbor.get(f"/observations/{pk}")
    assert (found["title"], found["content"]) == ("Key [REDACTED]", "[REDACTED]")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"title": " "}, "observation title is required"),
        ({"title": None}, "observation title is required"),
        ({"content": ""}, "session_id and content are required"),
        ({"session_id": ""}, "session_id and content are required"),
        ({"content": " \n"}, "observation content is required"),
    ],
)
def test_says_what_is_missing(harbor: Agent, change: dict[str, object], error: str) -> None:
    body = {"session_id": "s1", "title": "Tides", "content": "One hour"} | change
    assert harbor.ask("POST /observations", body) == (400, {"error": error})


def test_keeps_projects_apart(harbor: Agent) -> None:
    body = {"session_id": "s1", "title": "Tides", "content": "One hour"}
    assert harbor.ask("POST /observations", body | {"project": " HARBOR "})[0] == 201
    assert harbor.ask("POST /observations", body | {"project": "gate"}) == (
        400,
        {
            "error": "session project does not match requested project",
            "code": "session_project_mismatch",
            "session_project": "harbor",
            "project": "gate",
        },
    )
    unknown = body | {"session_id": "s9"}
    assert harbor.ask("POST /observations", unknown | {"project": "harbor"}) == (404, {"error": "session not found"})
    reply = harbor.refused(409, "POST /observations", unknown)
    assert reply["code"] == "project_ownership_required" and "rescue-ownership" in reply["remedy"]


def test_takes_an_operation_once(harbor: Agent) -> None:
    first = harbor.save("Tides", "One hour", operation_id="op-1")
    assert harbor.save("Tides", "One hour", operation_id="op-1")["id"] == first["id"]
    other = {"session_id": "s1", "title": "Tides", "content": "Two", "operation_id": "op-1"}
    harbor.refused(409, "POST /observations", other)
    result = {"id": first["id"], "status": "committed"}
    assert harbor.get("/observations/save-result", operation_id="op-1") == result
    harbor.refused(404, "GET /observations/save-result", operation_id="op-2")
    harbor.refused(400, "GET /observations/save-result")


def test_lists_the_newest_first(harbor: Agent) -> None:
    pks = [harbor.save(title, title)["id"] for title in ("One", "Two", "Three")]
    harbor.ask(f"DELETE /observations/{pks[1]}")
    harbor.begin("s2", "gate")
    harbor.save("Elsewhere", session="s2", scope="personal")
    for path in ("/observations", "/observations/recent"):
        assert [one["title"] for one in harbor.get(path, project="harbor")] == ["Three", "One"]
        assert [one["title"] for one in harbor.get(path)] == ["Elsewhere", "Three", "One"]
        assert [one["title"] for one in harbor.get(path, scope="personal")] == ["Elsewhere"]
        assert len(harbor.get(path, limit=1)) == 1
        assert len(harbor.get(path, limit=0)) == 3
        assert harbor.get(path, project="nobody") == []
    assert len(harbor.get("/observations", sort="created_at:desc")) == 3
    reply = harbor.refused(400, "GET /observations", sort="title:asc")
    assert reply["error"] == "unsupported sort: use created_at:desc"


@pytest.mark.parametrize("segment", ["abc", "1.5", "1e3", "9" * 30, "%C2%B2", "recent%20"])
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_knows_what_is_no_id(harbor: Agent, method: str, segment: str) -> None:
    reply = harbor.refused(400, f"{method} /observations/{segment}", {"title": "x"} if method == "PATCH" else None)
    assert reply["error"] == "invalid observation id"


@pytest.mark.parametrize("line", ["GET /observations/{}", "DELETE /observations/{}", "PUT /observations/{}/pin"])
def test_does_not_find_what_is_deleted_or_never_was(harbor: Agent, line: str) -> None:
    pk = harbor.save("Tides")["id"]
    harbor.ask(f"DELETE /observations/{pk}")
    for missing in (pk, pk + 1, 2**62):
        assert harbor.ask(line.format(missing)) == (404, {"error": "observation not found"})


def test_changes_what_is_given(harbor: Agent) -> None:
    pk = harbor.save("Tides", "One hour", topic_key="tides")["id"]
    found = harbor.ask(f"PATCH /observations/{pk}", {"title": "Tide tables", "scope": "personal", "content": None})[1]
    assert (found["title"], found["content"], found["scope"]) == ("Tide tables", "One hour", "personal")
    assert found["revision_count"] == 2
    found = harbor.ask(f"PATCH /observations/{pk}", {"find": "One", "replace": "Two"})[1]
    assert (found["content"], found["revision_count"]) == ("Two hour", 3)
    found = harbor.ask(f"PATCH /observations/{pk}", {"find": "Nine", "replace": "Ten"})[1]
    assert found["revision_count"] == 3
    assert harbor.get(f"/observations/{pk}")["content"] == "Two hour"


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({}, 400, "at least one field is required"),
        ({"unknown": 1}, 400, "at least one field is required"),
        ({"title": " "}, 400, "observation title is required"),
        ({"content": ""}, 400, "observation content is required"),
        ({"find": "a"}, 400, "find and replace must be provided together"),
        ({"project": "gate"}, 409, "observation project cannot be reassigned"),
    ],
)
def test_refuses_an_edit(harbor: Agent, body: dict[str, str], status: int, error: str) -> None:
    pk = harbor.save("Tides")["id"]
    assert harbor.refused(status, f"PATCH /observations/{pk}", body)["error"] == error
    assert harbor.get(f"/observations/{pk}")["revision_count"] == 1


def test_needs_no_expected_project_but_checks_it(harbor: Agent) -> None:
    pk = harbor.save("Tides")["id"]
    wrong = "expected_project does not match observation owner"
    for line, body in ((f"PATCH /observations/{pk}", {"title": "x"}), (f"DELETE /observations/{pk}", None)):
        assert harbor.refused(409, line, body, expected_project="gate")["error"] == wrong
        assert harbor.ask(line, body, expected_project="Harbor")[0] == 200
    assert (
        harbor.ask(f"PATCH /observations/{harbor.save('Gates')['id']}", {"project": "harbor", "title": "y"})[0] == 200
    )


def test_deletes_softly_and_for_good(harbor: Agent) -> None:
    pk = harbor.save("Tides")["id"]
    assert harbor.ask(f"DELETE /observations/{pk}") == (200, {"id": pk, "status": "deleted", "hard_delete": False})
    assert Observation.objects.get(pk=pk).deleted_at
    gone = {"id": pk, "status": "deleted", "hard_delete": True}
    assert harbor.ask(f"DELETE /observations/{pk}", hard="true") == (200, gone)
    assert not Observation.objects.filter(pk=pk).exists()
    harbor.refused(404, f"DELETE /observations/{pk}", hard="true")


def test_pins_without_a_body(harbor: Agent) -> None:
    pk = harbor.save("Tides")["id"]
    for method, pinned in (("PUT", True), ("PUT", True), ("DELETE", False)):
        assert harbor.ask(f"{method} /observations/{pk}/pin") == (200, {"id": pk, "pinned": pinned})
        assert Observation.objects.get(pk=pk).is_pinned is pinned
    for segment in ("0", "-1", "x"):
        harbor.refused(400, f"PUT /observations/{segment}/pin")


def test_captures_what_was_learned(harbor: Agent) -> None:
    content = (
        "Done.\n\n## Key Learnings:\n1. Tide tables are cached for one hour\n2. Gates open before the tide turns\n"
    )
    body = {"session_id": "s1", "content": content, "project": "harbor", "source": "subagent-stop"}
    counts = {"extracted": 2, "saved": 2, "duplicates": 0}
    assert harbor.ask("POST /observations/passive", body) == (200, counts)
    assert harbor.ask("POST /observations/passive", body)[1] == {"extracted": 2, "saved": 0, "duplicates": 2}
    first = harbor.get("/observations")[0]
    assert (first["type"], first["tool_name"]) == ("passive", "subagent-stop")
    assert harbor.ask("POST /observations/passive", {"content": "x"}) == (400, {"error": "session_id is required"})
    nothing = {"extracted": 0, "saved": 0, "duplicates": 0}
    assert harbor.ask("POST /observations/passive", {"session_id": "s1"}) == (200, nothing)


def test_tells_the_feed_of_every_write(harbor: Agent) -> None:
    pk = harbor.save("Tides")["id"]
    harbor.ask(f"PATCH /observations/{pk}", {"title": "Tide tables"})
    harbor.ask(f"PUT /observations/{pk}/pin")
    harbor.ask(f"DELETE /observations/{pk}")
    kinds = list(Change.objects.filter(ref=f"observation:{pk}").order_by("pk").values_list("kind", flat=True))
    assert kinds == [f"observation.{verb}" for verb in ("saved", "updated", "pinned", "deleted")]


def test_is_asked_for_the_newest_cheaply(harbor: Agent, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(5):
        harbor.save(f"Tide number{number}", f"Text {number}")
    with django_assert_max_num_queries(3):
        assert len(harbor.get("/observations", project="harbor", limit=1, sort="created_at:desc")) == 1
