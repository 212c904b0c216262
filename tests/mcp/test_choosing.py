"""Which project a call is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.mcp.caller import Caller
from memory.models import Observation, Session
from tests.mcp.callers import make_caller, read, refused_as, use
from tests.memory.api.engram.agents import make_repositories
from tests.memory.engram.makers import make_observation, make_session

CHOSEN = {"project_choice_reason": "user_selected_after_ambiguous_project"}


@pytest.fixture
def parent(tmp_path: Path, db: None) -> Caller:
    """A caller in a directory with two repositories."""
    make_repositories(tmp_path, "harbor", "tide")
    return make_caller(project="", directory=str(tmp_path))


@pytest.fixture
def remote(db: None) -> Caller:
    """A caller of which nothing is known, as over HTTP."""
    return make_caller(project="")


def test_detects_the_project_of_the_directory(tmp_path: Path, db: None) -> None:
    make_repositories(tmp_path, "tide")
    caller = make_caller(project="", directory=str(tmp_path / "tide"))

    told = read(caller, "mem_save", title="A", content="B")

    assert (told["project"], told["project_source"]) == ("tide", "git_root")
    assert told["project_path"] == str(tmp_path / "tide")


def test_the_config_of_a_repository_names_the_project(tmp_path: Path, db: None) -> None:
    make_repositories(tmp_path, "tide")
    config = tmp_path / "tide" / ".engram" / "config.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"project_name": "Ebb"}))
    caller = make_caller(project="", directory=str(tmp_path / "tide"))

    assert read(caller, "mem_save", title="A", content="B", project="ebb")["project"] == "ebb"
    config.write_text("{")
    assert read(caller, "mem_save", title="A", content="C", project="ebb")["project"] == "ebb"
    refused_as(caller, "invalid_project_config", "mem_save", title="A", content="B")
    refused_as(caller, "invalid_project_config", "mem_search", query="A")


def test_engrams_variable_comes_before_the_directory(parent: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAM_PROJECT", "Ebb")

    assert read(parent, "mem_save", title="A", content="B")["project"] == "ebb"
    assert read(parent, "mem_current_project")["project_source"] == "process_override"


def test_a_name_must_be_known(agent: Caller) -> None:
    make_session("s1", project="tide")

    body = refused_as(agent, "unknown_project", "mem_save", title="A", content="B", project="ebb")
    assert body["available_projects"] == ["harbor", "tide"]
    assert refused_as(agent, "unknown_project", "mem_search", query="A", project="ebb")["message"] == (
        'Project "ebb" not found in store'
    )
    assert read(agent, "mem_save", title="A", content="B", project="harbor")["project"] == "harbor"
    told = read(agent, "mem_save", title="A", content="B", project="TIDE")
    assert (told["project"], told["project_source"]) == ("tide", "explicit_override")
    assert told["result"].endswith('\n⚠️ Project name normalized: "TIDE" → "tide"')
    assert Observation.objects.filter(project__name="tide").count() == 1


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a\\b", "x" * 300])
def test_a_path_is_no_name(agent: Caller, name: str) -> None:
    refused_as(agent, "invalid_project", "mem_save", title="A", content="B", project=name)
    if name.strip():
        refused_as(agent, "invalid_project", "mem_search", query="A", project=name)


def test_nothing_is_guessed_where_nothing_is_known(remote: Caller) -> None:
    make_observation()

    body = refused_as(remote, "project_required", "mem_save", title="A", content="B")
    assert body["available_projects"] == ["harbor"]
    told = read(remote, "mem_search", query="leases")
    assert (told["project"], told["project_source"], len(told["results"])) == ("", "all_projects", 1)
    assert "error_hint" in read(remote, "mem_current_project")


def test_several_repositories_are_all_named(parent: Caller) -> None:
    body = refused_as(parent, "ambiguous_project", "mem_save", title="A", content="B")

    assert body["available_projects"] == ["harbor", "tide"]
    assert "harbor, tide" in body["message"]
    assert len(bytes.fromhex(body["recovery_token"])) == 16
    assert body["token_ttl_seconds"] == 300
    assert "available_projects" not in refused_as(parent, "ambiguous_project", "mem_search", query="A")["hint"]
    assert read(parent, "mem_current_project")["available_projects"] == ["harbor", "tide"]


def test_a_person_chooses_among_several(parent: Caller) -> None:
    token = refused_as(parent, "ambiguous_project", "mem_save", title="A", content="B")["recovery_token"]

    told = read(parent, "mem_save", title="A", content="B", project="tide", recovery_token=token, **CHOSEN)

    assert (told["project"], told["project_source"]) == ("tide", "user_selected_after_ambiguous_project")
    assert told["project_path"] == f"{parent.directory}/tide"
    read(parent, "mem_save_prompt", content="Go on", project="tide", recovery_token=token, **CHOSEN)
    refused_as(
        parent, "invalid_recovery_token", "mem_save", title="A", content="B", project="harbor", recovery_token=token,
        **CHOSEN,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("missing_recovery_token", {"project": "tide"}),
        ("invalid_recovery_token", {"project": "tide", "recovery_token": "0" * 32}),
        ("invalid_project_choice", {"project": "ebb", "recovery_token": "0" * 32}),
    ],
)
def test_a_choice_needs_its_token(parent: Caller, code: str, given: dict[str, str]) -> None:
    assert refused_as(parent, code, "mem_save", title="A", content="B", **given, **CHOSEN)["available_projects"] == [
        "harbor",
        "tide",
    ]
    assert not Observation.objects.exists()


def test_a_choice_registers_the_session_that_it_was_made_in(parent: Caller) -> None:
    given = {"title": "A", "content": "B", "session_id": "s7"}
    token = refused_as(parent, "ambiguous_project", "mem_save", **given)["recovery_token"]

    read(parent, "mem_save", project="tide", recovery_token=token, **given, **CHOSEN)

    session = Session.objects.get(key="s7")
    assert (session.project.name, session.ownership_mode) == ("tide", "project_owned")
    assert session.directory == f"{parent.directory}/tide"


def test_a_token_is_of_one_session(parent: Caller) -> None:
    token = refused_as(parent, "ambiguous_project", "mem_save", title="A", content="B")["recovery_token"]

    refused_as(
        parent, "invalid_recovery_token", "mem_save", title="A", content="B", session_id="s7", project="tide",
        recovery_token=token, **CHOSEN,
    )  # fmt: skip


def test_a_session_may_name_a_directory(remote: Caller, tmp_path: Path) -> None:
    make_repositories(tmp_path, "tide")

    told = read(remote, "mem_session_start", id="s1", directory=str(tmp_path / "tide"))

    assert told["result"] == 'Session "s1" started for project "tide"'
    assert Session.objects.get().directory == str(tmp_path / "tide")
    use(remote, "mem_save", title="A", content="B", session_id="s1")
    assert Observation.objects.get().project.name == "tide"
