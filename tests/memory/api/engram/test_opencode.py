"""What the OpenCode plugin sends; it registers its session before every write."""

from __future__ import annotations

from typing import Any

from tests.memory.api.engram.agents import Agent

DIRECTORY = "/w/harbor"


def register(agent: Agent) -> str:
    """Register as the plugin does, with its checks; return the id that it writes to from then on."""
    body = {"id": "oc-1", "project": "harbor", "directory": DIRECTORY, "resume": True}
    status, reply = agent.ask("POST /sessions", body)
    assert 200 <= status < 300 and reply["status"] == "created"
    key: str = reply["id"]
    assert key == "oc-1" or key.startswith("oc-1:resume:")
    return key


def end(agent: Agent, key: str) -> Any:
    status, reply = agent.ask(f"POST /sessions/{key.replace(':', '%3A')}/end")
    assert status == 200
    return reply


def test_lives_through_a_session(agent: Agent) -> None:
    assert len(agent.get("/health")["instance_id"]) == 32
    assert agent.get("/project/current", cwd=DIRECTORY)["project"] == "harbor"
    key = register(agent)
    prompt = {"session_id": key, "content": "x" * 2000, "project": "harbor", "source_inbox_id": "msg-1"}
    first = agent.ask("POST /prompts", prompt)
    assert first[0] == 201 and agent.ask("POST /prompts", prompt) == first
    output = "## Learnings\n- Tide tables are cached for one whole hour\n"
    passive = {"session_id": register(agent), "content": output, "project": "harbor", "source": "task-complete"}
    assert agent.ask("POST /observations/passive", passive)[1]["saved"] == 1
    assert agent.get(f"/sessions/{key}")["started_at"]
    assert len(agent.get("/observations", project="harbor", limit=1, sort="created_at:desc")) == 1
    told = agent.get("/context/compaction", session_id=key)["context"]
    assert told.startswith("## Memory from This Session") and "Tide tables are cached" in told
    assert end(agent, key) == {"id": key, "status": "completed"}


def test_goes_on_after_the_end(agent: Agent) -> None:
    end(agent, register(agent))
    key = register(agent)
    assert key == "oc-1:resume:2" == register(agent)
    agent.save("Tides", session=key, project="harbor")
    assert end(agent, key)["id"] == key
    assert register(agent) == "oc-1:resume:3"


def test_recovers_an_owned_session(agent: Agent) -> None:
    agent.begin("oc-9", isolated=True, ownership_mode="project_owned")
    session = agent.get("/sessions/oc-9")
    assert (session["project"], session["ownership_mode"]) == ("harbor", "project_owned")
    assert "ended_at" not in session
