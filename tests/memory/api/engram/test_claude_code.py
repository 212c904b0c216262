"""What the hooks of the Claude Code plugin send, in their order."""

from __future__ import annotations

from pathlib import Path

from tests.memory.api.engram.agents import Agent, make_repositories

PROMPT = "Why does the lease manager listen on two ports?"
LEARNED = "Done.\n\n## Key Learnings:\n\n1. The lease manager listens on port 4242 only\n"


def test_lives_through_a_session(agent: Agent, tmp_path: Path) -> None:
    make_repositories(tmp_path, "harbor")
    directory = str(tmp_path / "harbor")

    assert agent.get("/health")["status"] == "ok"
    found = agent.get("/project/current", cwd=directory)
    assert (found["project"], found["project_source"]) == ("harbor", "git_root")
    assert "error_hint" not in found
    started = {"id": "c-1", "project": "harbor", "directory": directory}
    assert agent.ask("POST /sessions", started) == (201, {"id": "c-1", "status": "created"})
    query = {"project": "harbor", "compact": "1", "pinned": "20", "max_bytes": "16384"}
    assert "### Recent Sessions" in agent.get("/context", **query)["context"]

    prompt = {"session_id": "c-1", "project": "harbor", "content": PROMPT}
    assert agent.ask("POST /prompts", prompt)[0] == 201
    assert agent.get("/sessions/c-1")["started_at"]
    assert agent.get("/observations", project="harbor", limit=1, sort="created_at:desc") == []

    passive = {"session_id": "c-1", "content": LEARNED, "project": "harbor", "source": "subagent-stop"}
    assert agent.ask("POST /observations/passive", passive) == (200, {"extracted": 1, "saved": 1, "duplicates": 0})
    [newest] = agent.get("/observations", project="harbor", limit=1, sort="created_at:desc")
    assert newest["created_at"] and newest["type"] == "passive"

    assert "ended_at" not in agent.get("/sessions/c-1")
    assert agent.ask("POST /sessions/c-1/end", {}) == (200, {"id": "c-1", "status": "completed"})
    assert agent.get("/sessions/c-1")["ended_at"]
    told = agent.get("/context", project="harbor")["context"]
    assert PROMPT in told and "The lease manager listens on port 4242 only" in told


def test_ends_what_goes_on_under_an_ended_id(agent: Agent) -> None:
    body = {"id": "c-1", "project": "harbor", "directory": "/w/harbor"}
    agent.begin("c-1", directory="/w/harbor")
    agent.ask("POST /sessions/c-1/end", {})
    agent.ask("POST /sessions", body | {"resume": True})
    ended = agent.ask("POST /runtime-sessions/end", body | {"ownership_mode": "shared"})
    assert ended == (200, {"id": "c-1:resume:2", "status": "ended", "resumed_from": "c-1"})
    assert agent.get("/sessions/c-1%3Aresume%3A2")["ended_at"]


def test_refuses_what_an_old_script_sent_without_a_session(agent: Agent) -> None:
    body = {"title": "Learned", "content": "x", "type": "learning", "project": "harbor", "metadata": {"session": "c-1"}}
    reply = agent.refused(400, "POST /observations", body)
    assert reply["error"] == "session_id and content are required"


def test_keeps_what_was_private_out(harbor: Agent) -> None:
    harbor.ask_of_person("The key is <private>k-123</private>")
    [prompt] = harbor.get("/prompts/recent")
    assert prompt["content"] == "The key is [REDACTED]"
