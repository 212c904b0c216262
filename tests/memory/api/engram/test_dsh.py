"""What dsh-gentle-engram sends: its own bookkeeping, then each of its 21 tools."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from memory.models import Observation
from tests.memory.api.engram.agents import Agent, make_repositories

TOKEN = "a token of the operator"


class Dsh(Agent):
    """The client: a token on every call but `/health`, and one session that it registers before its first write."""

    session = "dsh-agent-1"
    project = "harbor"
    directory = "/w/harbor"

    def ensure(self) -> str:
        """Look for the session, and register it or a fresh one when it has ended."""
        status, found = self.ask(f"GET /sessions/{self.session}")
        if status == 200 and found.get("ended_at"):
            self.session = str(uuid.uuid4())
        body = {
            "id": self.session,
            "project": self.project,
            "directory": self.directory,
            "ownership_mode": "project_owned",
        }
        status, reply = self.ask("POST /sessions", body)
        assert (status, reply) == (201, {"id": self.session, "status": "created"})
        return self.session

    def tool(self, line: str, body: object = None, **query: object) -> Any:
        """Send what a tool sends; any 2xx is a success."""
        status, reply = self.ask(line, body, **query)
        assert 200 <= status < 300, reply
        return reply

    def mem_save(self, title: str, content: str, **body: object) -> Any:
        defaults = {"type": "manual", "scope": "project"}
        own = {"session_id": self.ensure(), "project": self.project, "title": title, "content": content}
        return self.tool("POST /observations", own | defaults | body)


@pytest.fixture
def dsh(db: None, monkeypatch: pytest.MonkeyPatch) -> Dsh:
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", TOKEN)
    return Dsh(token=TOKEN)


def test_finds_its_server_and_its_project(dsh: Dsh, tmp_path: Path) -> None:
    assert len(Agent().get("/health")["instance_id"]) == 32
    make_repositories(tmp_path, "harbor")
    found = dsh.get("/project/current", cwd=str(tmp_path / "harbor"))
    assert found["project_source"] in {"config", "git_remote", "git_root", "git_child", "dir_basename"}
    assert found["project"] == "harbor" and not found.get("error_hint") and not found.get("warning")


def test_takes_a_new_id_when_its_session_has_ended(dsh: Dsh) -> None:
    first = dsh.ensure()
    dsh.tool(f"POST /sessions/{first}/end", {"summary": ""})
    body = {"id": first, "project": "harbor", "directory": "/w/harbor", "ownership_mode": "project_owned"}
    assert dsh.refused(409, "POST /sessions", body)["code"] == "session_already_ended"
    assert dsh.ensure() != first


def test_takes_a_new_id_when_its_session_is_of_another_project(dsh: Dsh) -> None:
    key = dsh.ensure()
    body = {"id": key, "project": "gate", "directory": "/w/gate", "ownership_mode": "project_owned"}
    assert dsh.refused(409, "POST /sessions", body)["code"] == "session_project_conflict"


def test_captures_prompts_tool_results_and_compactions(dsh: Dsh) -> None:
    own = {"session_id": dsh.ensure(), "project": "harbor"}
    assert dsh.tool("POST /prompts", own | {"content": "Why does the tide table lag?"})["status"] == "saved"
    result = "# Report\n\n## Key Learnings\n- The tide table lags by one whole hour\n"
    passive = {**own, "content": result, "source": "web_fetch"}
    assert dsh.tool("POST /observations/passive", passive) == {"extracted": 1, "saved": 1, "duplicates": 0}
    compaction = own | {
        "type": "session_summary",
        "title": "Compaction recovery summary",
        "content": "We looked at tides.",
        "scope": "project",
        "topic_key": "session/compaction-recovery",
    }
    first = dsh.tool("POST /observations", compaction)
    assert dsh.tool("POST /observations", compaction | {"content": "We fixed them."})["id"] == first["id"]
    assert Observation.objects.get(pk=first["id"]).content == "We fixed them."


def test_saves_and_is_told_of_conflicts(dsh: Dsh) -> None:
    old = dsh.mem_save("Lease manager listens on 4242", "It does", type="config", topic_key="config/lease-port")
    new = dsh.mem_save("Lease manager listens on 4243", "It does now")
    assert (old["status"], new["judgment_required"]) == ("saved", True)
    judged = dsh.tool(
        "POST /conflicts/judge", {"judgment_id": new["judgment_id"], "relation": "supersedes", "confidence": 0.9}
    )
    assert judged["relation"]["relation"] == "supersedes"
    body = {
        "memory_id_a": new["id"],
        "memory_id_b": old["id"],
        "relation": "conflicts_with",
        "confidence": 0.5,
        "reasoning": "Two ports",
    }
    assert dsh.tool("POST /conflicts/compare", body) == {"sync_id": judged["relation"]["sync_id"]}


def test_searches(dsh: Dsh) -> None:
    dsh.mem_save("Tide tables", "Cached for an hour", type="decision")
    query = {"q": "tide tables", "type": "decision", "scope": "project", "limit": 5, "match_mode": "any"}
    assert len(dsh.tool("GET /search", **query, project="harbor", all_projects="false")) == 1
    assert len(dsh.tool("GET /search", q="tide", all_projects="true")) == 1
    assert dsh.tool("GET /search", q="tide", project="brand-new") == []


def test_reads_context_numbers_and_a_timeline(dsh: Dsh) -> None:
    assert dsh.tool("GET /context", project="brand-new") == {"context": ""}
    pk = dsh.mem_save("Tide tables", "Cached for an hour")["id"]
    dsh.mem_save("Gates", "Open at nine")
    assert "**Tide tables**" in dsh.tool("GET /context", project="harbor", scope="project")["context"]
    assert dsh.tool("GET /context", project="harbor", sessions=-1)["context"].count("###") == 1
    assert dsh.tool("GET /stats", project="harbor")["total_observations"] == 2
    assert dsh.tool("GET /stats", all_projects="true")["projects"] == ["harbor"]
    around = dsh.tool("GET /timeline", observation_id=pk, before=5, after=5, project="harbor")
    assert [one["title"] for one in around["after"]] == ["Gates"]
    assert dsh.tool(f"GET /observations/{pk}")["content"] == "Cached for an hour"


def test_ends_its_session_with_a_summary(dsh: Dsh) -> None:
    own = {"session_id": dsh.ensure(), "project": "harbor"}
    summary = own | {"type": "session_summary", "title": "Session summary", "content": "Tides.", "scope": "project"}
    assert dsh.tool("POST /observations", summary)["status"] == "saved"
    key = own["session_id"]
    assert not dsh.tool(f"GET /sessions/{key}").get("ended_at")
    assert dsh.tool(f"POST /sessions/{key}/end", {"summary": "Tides."}) == {"id": key, "status": "completed"}
    assert dsh.tool(f"GET /sessions/{key}")["summary"] == "Tides."


def test_suggests_captures_and_keeps_prompts(dsh: Dsh) -> None:
    suggested = dsh.tool("POST /topic-keys/suggest", {"type": "decision", "title": "Tide tables", "content": "x"})
    assert suggested == {"topic_key": "decision/tide-tables"}
    own = {"session_id": dsh.ensure(), "project": "harbor"}
    captured = dsh.tool("POST /observations/passive", own | {"content": "nothing", "source": "dsh-tool"})
    assert captured == {"extracted": 0, "saved": 0, "duplicates": 0}
    assert dsh.tool("POST /prompts", own | {"content": "Where is it?"})["status"] == "saved"
    assert dsh.tool("GET /project/current", cwd="/w/harbor")["project"] == "harbor"


def test_changes_and_deletes_without_an_expected_project(dsh: Dsh) -> None:
    pk = dsh.mem_save("Tide tables", "Cached for an hour")["id"]
    changed = dsh.tool(f"PATCH /observations/{pk}", {"title": "Tides", "topic_key": "config/tides"})
    assert (changed["title"], changed["topic_key"], changed["revision_count"]) == ("Tides", "config/tides", 2)
    assert dsh.tool(f"DELETE /observations/{pk}") == {"id": pk, "status": "deleted", "hard_delete": False}
    assert dsh.tool(f"DELETE /observations/{pk}", hard="true")["hard_delete"] is True
    assert Dsh().ask(f"DELETE /observations/{pk}")[0] == 401


def test_examines_reviews_and_pins(dsh: Dsh) -> None:
    pk = dsh.mem_save("Tide tables", "Cached for an hour", type="decision")["id"]
    report = dsh.tool("GET /doctor", project="harbor")
    assert report["status"] in {"ok", "warning"} and report["summary"]["total"] == len(report["checks"])
    assert dsh.tool("GET /doctor", project="harbor", check="no-such-check")["status"] == "error"
    assert dsh.tool("GET /review", project="harbor", limit=3) == {"observations": [], "count": 0}
    assert dsh.tool("GET /review", all_projects="true")["count"] == 0
    reviewed = dsh.tool("POST /review/mark_reviewed", {"observation_id": pk}, project="harbor")
    assert (reviewed["id"], reviewed["state"]) == (pk, "active")
    assert dsh.tool(f"PUT /observations/{pk}/pin") == {"id": pk, "pinned": True}
    assert dsh.tool(f"DELETE /observations/{pk}/pin") == {"id": pk, "pinned": False}
