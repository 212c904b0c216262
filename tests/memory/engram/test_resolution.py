"""Which project a reader asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.engram import queries
from memory.engram.errors import AmbiguousProject, InvalidProject, ProjectUnresolved, UnknownProject
from memory.engram.resolution import resolve
from memory.models import Project, ProjectAlias
from memory.models.project import NO_PROJECT
from tests.memory.engram.counting import costs
from tests.memory.engram.makers import make_observation, make_session
from tests.memory.projects.git import make_repository

pytestmark = pytest.mark.django_db


@pytest.fixture
def harbor() -> Project:
    make_observation()
    return Project.objects.get(name="harbor")


def test_reads_the_project_that_is_named(harbor: Project) -> None:
    with costs(1):
        assert resolve(project=[" Harbor "]) == harbor
    ProjectAlias.objects.create(project=harbor, name="harbor-api")
    assert resolve(project=["harbor-api"], all_projects=["false"], cwd="/nowhere") == harbor


def test_reads_all_projects_when_asked_or_when_nothing_is_said(harbor: Project) -> None:
    assert resolve(all_projects=["true"]) is None
    assert resolve(all_projects=["1"], cwd="/nowhere/harbor") is None
    assert resolve() is None
    assert resolve(all_projects=["F"], cwd=" ") is None


def test_finds_nothing_in_a_project_without_memory(harbor: Project) -> None:
    unknown = resolve(project=["harbour"])

    assert unknown is not None
    assert (unknown.name, unknown.pk) == ("harbour", 0)
    assert not queries.observations(project=unknown).exists()
    assert queries.recent_sessions(unknown) == []
    assert Project.objects.count() == 1


def test_a_strict_reader_is_told_the_names_that_there_are(harbor: Project) -> None:
    make_session("s2", project="pier")
    Project.objects.create(name=NO_PROJECT)

    with pytest.raises(UnknownProject) as failed:
        resolve(project=['har"bor'], is_strict=True)
    assert failed.value.message == 'project "har\\"bor" not found'
    assert (failed.value.code, failed.value.fields) == ("unknown_project", {"available_projects": ["harbor", "pier"]})


@pytest.mark.parametrize(
    ("project", "all_projects"),
    [
        (["a", "a"], []),
        ([""], []),
        ([" "], []),
        (["a/b"], []),
        (["a\\b"], []),
        (["a\0b"], []),
        (["a\nb"], []),
        (["x" * 201], []),
        (["a"], ["true"]),
        ([], ["true", "true"]),
        ([], [""]),
        ([], ["yes"]),
        (["a"], ["tRUE"]),
    ],
)
def test_refuses_what_cannot_be_meant(project: list[str], all_projects: list[str]) -> None:
    with pytest.raises(InvalidProject) as failed:
        resolve(project=project, all_projects=all_projects)
    assert failed.value.code == "invalid_project"


def test_reads_the_project_of_a_directory(harbor: Project, tmp_path: Path) -> None:
    make_repository(tmp_path / "harbor")
    make_repository(tmp_path / "pier")

    assert resolve(cwd=str(tmp_path / "harbor")) == harbor
    pier = resolve(cwd=str(tmp_path / "pier"))
    assert pier is not None
    assert (pier.name, pier.pk) == ("pier", 0)
    with pytest.raises(AmbiguousProject) as failed:
        resolve(cwd=str(tmp_path))
    assert failed.value.message.endswith("multiple git repos found in cwd: harbor, pier")
    assert (failed.value.code, failed.value.fields) == (
        "ambiguous_project",
        {"available_projects": ["harbor", "pier"], "project_source": "ambiguous", "project_path": str(tmp_path)},
    )


def test_fails_for_a_directory_that_names_its_project_wrongly(tmp_path: Path) -> None:
    (tmp_path / ".engram").mkdir()
    (tmp_path / ".engram" / "config.json").write_text("{}")

    with pytest.raises(ProjectUnresolved):
        resolve(cwd=str(tmp_path))


def test_engram_project_stands_for_a_name(harbor: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAM_PROJECT", "harbor")

    assert resolve() == harbor
    assert resolve(cwd=str(tmp_path)) == harbor
    assert resolve(all_projects=["true"]) is None
    pier = resolve(project=["pier"])
    assert pier is not None
    assert pier.name == "pier"


@settings(max_examples=60)
@given(st.lists(st.text(), max_size=2), st.lists(st.sampled_from(["true", "0", "x", ""]), max_size=2))
def test_answers_or_refuses_whatever_a_query_says(project: list[str], all_projects: list[str]) -> None:
    try:
        found = resolve(project=project, all_projects=all_projects)
    except InvalidProject:
        return
    assert (found is None) == (project == [])
