from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.memory.api.engram.agents import Agent


def test_registers_and_renews_with_the_same_reply(agent: Agent) -> None:
    body = {"id": "s1", "project": "Harbor--API", "directory": "/w/harbor", "unknown": {"key": 1}}
    for _ in range(2):
        assert agent.ask("POST /sessions", body) == (201, {"id": "s1", "status": "created"})
    session = agent.get("/sessions/s1")
    assert session.pop("started_at")
    assert session == {"id": "s1", "project": "harbor-api", "ownership_mode": "shared", "directory": "/w/harbor"}


def test_wants_an_id_and_a_project(agent: Agent) -> None:
    for body in ({}, {"id": "s1"}, {"project": "harbor"}, {"id": " ", "project": "harbor"}, None, b"null"):
        reply = agent.refused(400, "POST /sessions", body if body is not None else {"id": None, "project": None})
        assert reply["error"] == "id and project are required"


def test_keeps_the_address_of_the_list_free(agent: Agent) -> None:
    agent.refused(400, "POST /sessions", {"id": "recent", "project": "harbor"})
    assert agent.get("/sessions/recent") == []


def test_knows_the_modes_of_ownership(agent: Agent) -> None:
    agent.refused(400, "POST /sessions", {"id": "s1", "project": "harbor", "ownership_mode": "mine"})
    isolated = {"id": "s1", "project": "harbor", "isolated": True}
    reply = agent.refused(400, "POST /sessions", isolated | {"ownership_mode": "shared"})
    assert reply["error"] == "isolated registration requires project_owned ownership and an empty directory"
    agent.begin("s1", isolated=True, ownership_mode="project_owned")
    assert agent.get("/sessions/s1")["ownership_mode"] == "project_owned"


def test_says_that_a_session_has_ended(harbor: Agent) -> None:
    assert harbor.ask("POST /sessions/s1/end", {"summary": "Done"}) == (200, {"id": "s1", "status": "completed"})
    reply = harbor.refused(409, "POST /sessions", {"id": "s1", "project": "harbor"})
    assert reply == {"error": "session has already ended", "code": "session_already_ended", "session_id": "s1"}
    session = harbor.get("/sessions/s1")
    assert session["ended_at"] and session["summary"] == "Done"


@pytest.mark.parametrize("body", [None, b"", b"  ", {}, {"summary": None}])
def test_ends_without_a_summary_and_sessions_that_nobody_knows(agent: Agent, body: object) -> None:
    assert agent.ask("POST /sessions/never%20seen/end", body) == (200, {"id": "never seen", "status": "completed"})


def test_goes_on_with_an_ended_session_under_another_id(harbor: Agent) -> None:
    harbor.ask("POST /sessions/s1/end")
    wanted = {"id": "s1", "project": "harbor", "resume": True}
    resumed = {"id": "s1:resume:2", "status": "created", "resumed_from": "s1"}
    assert harbor.ask("POST /sessions", wanted) == (201, resumed)
    assert harbor.ask("POST /sessions", wanted) == (201, resumed)
    assert harbor.get("/sessions/s1%3Aresume%3A2")["id"] == "s1:resume:2"


def test_says_whose_session_it_is(agent: Agent) -> None:
    agent.begin("s1", "harbor", ownership_mode="project_owned")
    body = {"id": "s1", "project": "gate", "ownership_mode": "project_owned"}
    reply = agent.refused(409, "POST /sessions", body)
    assert reply.pop("error").startswith("session ownership does not match write project: ")
    assert reply == {
        "code": "session_project_conflict",
        "session_id": "s1",
        "owner_project": "harbor",
        "requested_project": "gate",
    }


def test_answers_404_for_a_session_that_is_not_there(agent: Agent) -> None:
    assert agent.ask("GET /sessions/s9") == (404, {"error": "session not found"})


def test_lists_the_sessions_that_remembered_last(agent: Agent) -> None:
    for key in ("s1", "s2"):
        agent.begin(key)
    agent.begin("s3", "gate")
    agent.save("Tides", session="s1")
    [first, *_] = agent.get("/sessions/recent", project="harbor")
    assert (first["id"], first["observation_count"]) == ("s1", 1)
    assert set(first) == {"id", "project", "started_at", "observation_count"}
    assert len(agent.get("/sessions/recent")) == 3
    assert len(agent.get("/sessions/recent", limit=1)) == 1
    assert len(agent.get("/sessions/recent", limit="many")) == 3


def test_deletes_a_session_without_memories(harbor: Agent) -> None:
    harbor.ask_of_person("Where is the tide table?")
    assert harbor.ask("DELETE /sessions/s1") == (200, {"id": "s1", "status": "deleted"})
    assert harbor.ask("GET /sessions/s1")[0] == 404
    assert harbor.get("/prompts/recent") == []
    assert "session not found" in harbor.refused(404, "DELETE /sessions/s1")["error"]


def test_keeps_a_session_whose_memories_are_there_deleted_or_not(harbor: Agent) -> None:
    pk = harbor.save("Tides")["id"]
    harbor.ask(f"DELETE /observations/{pk}")
    reply = harbor.refused(409, "DELETE /sessions/s1")
    assert reply["error"] == 'session still has observations: session "s1" has 1 observation(s)'


def test_resolves_and_ends_what_runs(agent: Agent) -> None:
    agent.begin("s1", directory="/w/harbor")
    body = {"id": "s1", "project": "harbor", "directory": "/w/harbor"}
    assert agent.ask("POST /runtime-sessions/resolve", body) == (200, {"id": "s1", "status": "resolved"})
    agent.refused(409, "POST /runtime-sessions/resolve", body | {"directory": "/w/gate"})
    assert agent.ask("POST /runtime-sessions/end", body | {"summary": "Done"}) == (200, {"id": "s1", "status": "ended"})
    agent.refused(404, "POST /runtime-sessions/resolve", body)
    agent.begin("s1", directory="/w/harbor", resume=True)
    resolved = {"id": "s1:resume:2", "status": "resolved", "resumed_from": "s1"}
    assert agent.ask("POST /runtime-sessions/resolve", body) == (200, resolved)


@pytest.mark.parametrize("change", [{"extra": 1}, {"directory": ""}, {"project": " "}, {"id": None}])
def test_is_strict_about_what_runs(agent: Agent, change: dict[str, object]) -> None:
    body = {"id": "s1", "project": "harbor", "directory": "/w/harbor"} | change
    for name in ("resolve", "end"):
        agent.refused(400, f"POST /runtime-sessions/{name}", body)
    agent.refused(400, "POST /runtime-sessions/end", b'{"id":"s1","project":"p","directory":"/d"} {}')


def test_is_asked_for_a_session_cheaply(harbor: Agent, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(3):
        harbor.get("/sessions/s1")
