from __future__ import annotations

from pathlib import Path

import pytest

from memory.models import Observation
from tests.memory.api.engram.agents import Agent, make_repositories


def titles(found: object) -> list[str]:
    assert isinstance(found, list)
    return [one["title"] for one in found]


def test_finds_memories_whole_and_ranked(harbor: Agent) -> None:
    harbor.save("Lease manager", "It listens on 4242")
    harbor.save("Crane schedule", "Moved to nine")
    [hit] = harbor.get("/search", q="lease 4242", project="harbor")
    assert (hit["title"], hit["content"]) == ("Lease manager", "It listens on 4242")
    assert hit["rank"] < 0 and hit["session_id"] == "s1"
    assert harbor.get("/search", q="submarine") == []
    assert harbor.get("/search", q="lease", project="nobody") == []
    assert harbor.get("/search", q="lease", project="harbor", all_projects="false")
    assert harbor.get("/search", q="lease", all_projects="true")


def test_wants_a_question_and_a_mode_that_it_knows(harbor: Agent) -> None:
    for query in ({}, {"q": ""}, {"q": "  "}):
        assert harbor.refused(400, "GET /search", **query)["error"] == "q parameter is required"
    harbor.refused(400, "GET /search", q="tide", match_mode="some")
    for mode in ("", "all", "any"):
        assert harbor.get("/search", q="tide", match_mode=mode) == []


def test_puts_a_topic_first(harbor: Agent) -> None:
    harbor.save("About config/ports and more config/ports", "config/ports")
    harbor.save("Ports", "4242", topic_key="config/ports")
    first, *_ = harbor.get("/search", q="config/ports")
    assert (first["title"], first["rank"]) == ("Ports", -1000)


def test_restricts_a_search(harbor: Agent) -> None:
    harbor.save("Tide one", "one", type="decision")
    harbor.save("Tide two", "two", scope="personal")
    assert titles(harbor.get("/search", q="tide", type="decision")) == ["Tide one"]
    assert titles(harbor.get("/search", q="tide", scope="personal")) == ["Tide two"]
    assert len(harbor.get("/search", q="tide", limit=1)) == 1
    assert len(harbor.get("/search", q="tide", limit="lots")) == 2


@pytest.mark.parametrize(
    "query",
    [
        {"project": ""},
        {"project": ["a", "b"]},
        {"project": "a/b"},
        {"project": "a\\b"},
        {"project": "a\tb"},
        {"all_projects": "maybe"},
        {"all_projects": ["true", "true"]},
        {"project": "harbor", "all_projects": "true"},
    ],
)
@pytest.mark.parametrize("path", ["/context", "/stats", "/observations", "/review", "/conflicts", "/sessions/recent"])
def test_knows_what_is_no_project(agent: Agent, path: str, query: dict[str, object]) -> None:
    assert agent.refused(400, f"GET {path}", **query)["code"] == "invalid_project"


def test_reads_the_project_of_a_directory(harbor: Agent, tmp_path: Path) -> None:
    harbor.save("Tides")
    (tmp_path / "harbor").mkdir()
    assert titles(harbor.get("/observations", cwd=str(tmp_path / "harbor"))) == ["Tides"]
    assert harbor.get("/observations", cwd="/nowhere/gate") == []
    make_repositories(tmp_path / "many", "one", "two")
    reply = harbor.refused(409, "GET /context", cwd=str(tmp_path / "many"))
    assert (reply["code"], reply["available_projects"]) == ("ambiguous_project", ["one", "two"])


def test_shows_what_was_saved_around(harbor: Agent) -> None:
    pks = [harbor.save(f"Number {n}", f"Text {n}")["id"] for n in range(5)]
    found = harbor.get("/timeline", observation_id=pks[2], before=1, after=9, project="harbor")
    assert found["focus"]["id"] == pks[2] and "sync_id" in found["focus"]
    assert [one["id"] for one in found["before"]] == [pks[1]]
    assert [one["id"] for one in found["after"]] == pks[3:]
    assert found["after"][0]["is_focus"] is False and "sync_id" not in found["after"][0]
    assert (found["session_info"]["id"], found["total_in_range"]) == ("s1", 5)
    assert len(harbor.get("/timeline", observation_id=pks[2], before=0, after=-1)["before"]) == 2


def test_says_why_there_is_no_timeline(harbor: Agent) -> None:
    pk = harbor.save("Tides")["id"]
    harbor.refused(400, "GET /timeline")
    harbor.refused(400, "GET /timeline", observation_id="x")
    assert harbor.refused(404, "GET /timeline", observation_id=pk + 1)["error"] == "observation not found"
    reply = harbor.refused(404, "GET /timeline", observation_id=pk, project="gate")
    assert reply["error"] == "observation not found in resolved project"


def test_tells_what_is_remembered(harbor: Agent) -> None:
    assert harbor.get("/context", project="nobody") == {"context": ""}
    harbor.ask_of_person("Where is the tide table?")
    pinned = harbor.save("Pinned", "Always")["id"]
    harbor.ask(f"PUT /observations/{pinned}/pin")
    harbor.save("Tides", "One hour")
    told = harbor.get("/context", project="harbor")["context"]
    assert [line for line in told.splitlines() if line.startswith("#")] == [
        "## Memory from Previous Sessions",
        "### Recent Sessions",
        "### Recent User Prompts",
        "### Pinned",
        "### Recent Observations",
    ]
    told = harbor.get("/context", project="harbor", sessions=-1, prompts=-1, pinned=-1, compact=1)["context"]
    assert told.endswith("### Recent Observations\n- [manual] **Tides**\n\n")
    cut = harbor.get("/context", project="harbor", max_bytes=60)["context"]
    assert len(cut.encode()) <= 60 and cut.endswith("\n[truncated]\n")
    assert harbor.get("/context", project="harbor", max_bytes="many", sessions=10**30)["context"]


def test_tells_what_one_session_remembered(harbor: Agent) -> None:
    harbor.save("Tides")
    harbor.begin("s2")
    harbor.save("Gates", session="s2")
    told = harbor.get("/context/compaction", session_id="s1")["context"]
    assert told.startswith("## Memory from This Session\n") and "Tides" in told and "Gates" not in told
    assert harbor.refused(400, "GET /context/compaction")["error"] == "session_id is required"
    assert harbor.refused(404, "GET /context/compaction", session_id="s9")["error"] == "session not found"


def test_counts(harbor: Agent) -> None:
    harbor.save("Tides")
    harbor.ask_of_person("Where is the tide table?")
    harbor.ask(f"DELETE /observations/{harbor.save('Gone')['id']}")
    counts = {"total_sessions": 1, "total_observations": 1, "total_prompts": 1, "projects": ["harbor"]}
    assert harbor.get("/stats") == harbor.get("/stats", project="harbor") == counts
    nothing = {"total_sessions": 0, "total_observations": 0, "total_prompts": 0, "projects": []}
    assert harbor.get("/stats", project="nobody") == nothing


def test_suggests_a_topic(agent: Agent) -> None:
    body = {"type": "bugfix", "title": "Fix: tide table"}
    assert agent.ask("POST /topic-keys/suggest", body) == (200, {"topic_key": "bug/fix-tide-table"})
    reply = agent.refused(400, "POST /topic-keys/suggest", {"type": "bugfix", "title": " "})
    assert reply["error"] == "provide title or content to suggest a topic_key"
    agent.refused(400, "POST /topic-keys/suggest", b'{"title":"x"} {}')


def test_says_that_nothing_is_synchronised(agent: Agent) -> None:
    assert agent.get("/sync/status") == {"enabled": False, "message": "background sync is not configured"}
    assert agent.refused(400, "GET /sync/status", all_projects="true")["code"] == "unsupported_project_scope"


def test_lists_what_is_due_and_marks_it_reviewed(harbor: Agent) -> None:
    pk = harbor.save("Tides", type="decision")["id"]
    assert harbor.get("/review") == {"observations": [], "count": 0}
    row = Observation.objects.get()
    Observation.objects.update(review_after=row.created_at)
    found = harbor.get("/review", project="harbor", limit=5)
    assert found["count"] == 1
    [one] = found["observations"]
    assert one.pop("review_after")
    item = {"id": pk, "sync_id": row.sync_id, "title": "Tides", "type": "decision", "project": "harbor"}
    assert one == item | {"state": "needs_review"}
    assert harbor.get("/observations/" + str(pk))["id"] == pk
    status, one = harbor.ask("POST /review/mark_reviewed", {"observation_id": pk}, project="harbor")
    assert (status, one["state"]) == (200, "active")
    assert harbor.ask("POST /review/mark_reviewed", {"id": pk})[0] == 200
    assert harbor.get("/review")["count"] == 0
    for body in ({}, {"observation_id": 0}, {"observation_id": -4}):
        reply = harbor.refused(400, "POST /review/mark_reviewed", body)
        assert reply["error"] == "observation_id is required"
    harbor.refused(404, "POST /review/mark_reviewed", {"observation_id": pk + 1})


def test_keeps_prompts(harbor: Agent) -> None:
    body = {"session_id": "s1", "content": "Where is the tide table?", "project": "harbor", "source_inbox_id": "m1"}
    status, reply = harbor.ask("POST /prompts", body)
    assert (status, reply["status"]) == (201, "saved")
    assert harbor.ask("POST /prompts", body) == (201, reply)
    [prompt] = harbor.get("/prompts/recent", project="harbor")
    assert prompt.pop("created_at") and prompt.pop("sync_id").startswith("prompt-")
    assert prompt == {"id": reply["id"]} | body
    assert harbor.get("/prompts/search", q="tide table", limit=3)[0]["id"] == reply["id"]
    assert harbor.get("/prompts/search", q="submarine") == []
    assert harbor.ask(f"DELETE /prompts/{reply['id']}") == (200, {"id": reply["id"], "status": "deleted"})
    harbor.refused(404, f"DELETE /prompts/{reply['id']}")
    harbor.refused(409, "POST /prompts", body)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"session_id": "s1"}, 400),
        ({"content": "Where?"}, 400),
        ({"session_id": "s1", "content": "Where?", "project": "gate"}, 400),
        ({"session_id": "s9", "content": "Where?", "project": "harbor"}, 404),
        ({"session_id": "s9", "content": "Where?"}, 409),
    ],
)
def test_refuses_a_prompt(harbor: Agent, body: dict[str, str], status: int) -> None:
    harbor.refused(status, "POST /prompts", body)
    harbor.refused(400, "DELETE /prompts/x")
