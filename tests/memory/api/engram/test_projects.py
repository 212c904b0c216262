from __future__ import annotations

from pathlib import Path

import pytest

from memory.models import AuditEntry, Project, Session
from memory.models.project import NO_PROJECT
from tests.memory.api.engram.agents import Agent, make_repositories


@pytest.fixture
def operator(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that knows the token of the server."""
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    return Agent(token="secret")


def make_unowned(agent: Agent, session: str, *memories: str) -> list[int]:
    """Save memories in a session that belongs to no project."""
    agent.begin(session, "somewhere")
    pks = [agent.save(title, title, session=session)["id"] for title in memories]
    nowhere, _ = Project.objects.get_or_create(name=NO_PROJECT)
    row = Session.objects.get(key=session)
    Session.objects.filter(pk=row.pk).update(project=nowhere)
    row.observations.update(project=nowhere)
    return pks


def test_tells_the_project_of_a_directory(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "Harbor").mkdir()
    found = agent.get("/project/current", cwd=str(tmp_path / "Harbor"))
    place = str(tmp_path / "Harbor")
    assert found == {
        "project": "harbor",
        "project_source": "dir_basename",
        "project_path": place,
        "cwd": place,
        "available_projects": [],
    }
    assert agent.get("/project/current")["project"]


def test_answers_for_directories_that_it_cannot_see(agent: Agent) -> None:
    for cwd, name in (("/home/dev/src/harbor-api", "harbor-api"), (r"C:\work\Harbor", "harbor"), ("-odd", "-odd")):
        found = agent.get("/project/current", cwd=cwd)
        assert (found["project"], found["project_source"]) == (name, "dir_basename")


def test_says_when_a_directory_is_ambiguous(agent: Agent, tmp_path: Path) -> None:
    make_repositories(tmp_path, "one", "two", "three")
    found = agent.get("/project/current", cwd=str(tmp_path))
    assert (found["project"], found["project_source"]) == ("", "ambiguous")
    assert found["available_projects"] == ["one", "three", "two"]
    assert found["error_hint"] == "ambiguous project: multiple git repos found in cwd"


def test_lists_projects_with_their_numbers(harbor: Agent) -> None:
    harbor.save("Tides")
    harbor.begin("s2", "gate")
    found = harbor.get("/projects")
    assert found["count"] == 2
    first = {"name": "harbor", "observation_count": 1, "session_count": 1, "prompt_count": 0, "directories": []}
    assert found["projects"][0] == first


@pytest.mark.parametrize("path", ["/projects/rescue-ownership", "/projects/migrate"])
def test_rescues_only_for_who_has_the_token(agent: Agent, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    body = {"target_project": "harbor", "confirmed": True}
    assert agent.ask(f"POST {path}", body) == (503, {"error": "server authorization is not configured"})
    monkeypatch.setenv("ENGRAM_HTTP_TOKEN", "secret")
    agent.refused(401, f"POST {path}", body)
    assert Agent(token="secret").ask(f"POST {path}", body)[0] == 200


def test_gives_a_session_and_its_memories_to_a_project(operator: Agent) -> None:
    make_unowned(operator, "s1", "Tides", "Gates")
    make_unowned(operator, "s2", "Cranes")
    body = {"target_project": "Harbor", "confirmed": True, "session_ids": ["s1", "s9"]}
    status, reply = operator.ask("POST /projects/rescue-ownership", body)
    assert (status, reply["status"], reply["complete"]) == (200, "rescued", True)
    counts = [reply[f"rescued_{noun}"] for noun in ("sessions", "observations", "prompts")]
    assert (counts, reply["skipped_records"], reply["target_project"]) == ([1, 2, 0], 1, "harbor")
    assert {one["title"] for one in operator.get("/observations", project="harbor")} == {"Tides", "Gates"}
    assert len(operator.get("/search", q="gates", project="harbor")) == 1
    assert AuditEntry.objects.filter(action="project.rescued").count() == 1


def test_gives_everything_that_nobody_owns(operator: Agent) -> None:
    [pk] = make_unowned(operator, "s1", "Tides")
    operator.begin("s2", "gate")
    theirs = operator.save("Theirs", session="s2")["id"]
    named = {"target_project": "harbor", "confirmed": True, "observation_ids": [theirs]}
    reply = operator.ask("POST /projects/rescue-ownership", named)[1]
    assert (reply["status"], reply["conflicting_records"]) == ("partially_rescued", 1)
    operator.ask("POST /projects/rescue-ownership", {"target_project": "harbor", "confirmed": True})
    assert [one["id"] for one in operator.get("/observations", project="harbor")] == [pk]
    assert [one["id"] for one in operator.get("/observations", project="gate")] == [theirs]


@pytest.mark.parametrize(
    "body", [{"target_project": "harbor"}, {"confirmed": True}, {"target_project": NO_PROJECT, "confirmed": True}]
)
def test_refuses_a_rescue(operator: Agent, body: dict[str, object]) -> None:
    operator.refused(400, "POST /projects/rescue-ownership", body)


def test_gives_everything_of_one_name_to_another(operator: Agent) -> None:
    operator.begin("s1", "habor")
    operator.save("Tides")
    body = {"old_project": "habor", "new_project": "harbor"}
    moved = {"status": "migrated", **body, "observations": 1, "sessions": 1, "prompts": 0}
    assert operator.ask("POST /projects/migrate", body) == (200, moved)
    skipped = {"status": "skipped", "reason": "names are identical"}
    assert operator.ask("POST /projects/migrate", body) == (200, skipped)
    unknown = {"status": "skipped", "reason": "no records found"}
    assert operator.ask("POST /projects/migrate", body | {"old_project": "nobody"}) == (200, unknown)
    operator.refused(400, "POST /projects/migrate", {"old_project": "", "new_project": "harbor"})
