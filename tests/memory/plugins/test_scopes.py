"""Which project a scope means, and that it never means a foreign one."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Project, ProjectAlias
from memory.models.project import NO_PROJECT
from memory.plugins.scopes import project_of
from memory.projects import directories
from tests.makers import make_project, make_tree


@pytest.mark.parametrize("scope", ["", "/", "/src/deep", "/.", "/src/../src"])
def test_a_workspace_is_its_root_and_what_lies_below(harbor: Project, scope: str) -> None:
    (Path(harbor.root) / "src" / "deep").mkdir(parents=True)

    assert project_of(f"{harbor.root}{scope}") == harbor


@pytest.mark.parametrize("scope", ["harbor", " HARBOR ", "Harbor"])
def test_a_name_is_its_project(harbor: Project, scope: str) -> None:
    assert project_of(scope) == harbor


def test_another_name_and_a_told_directory_are_its_project_too(harbor: Project) -> None:
    ProjectAlias.objects.create(project=harbor, name="port")
    directories.tell("/mnt/c/harbor-checkout", harbor, at=timezone.now())

    assert project_of("port") == harbor
    assert project_of("/mnt/c/harbor-checkout/src") == harbor


def test_a_directory_that_only_has_the_name_is_unknown(harbor: Project, tmp_path: Path) -> None:
    impostor = tmp_path / "elsewhere" / "harbor"
    impostor.mkdir(parents=True)

    assert project_of(str(impostor)) is None
    assert project_of("/nowhere/on/this/machine/harbor") is None
    assert project_of(str(Path(harbor.root).parent)) is None
    assert project_of(f"{harbor.root}-old") is None


def test_a_project_that_agents_named_without_a_root_is_found_by_its_directory(transactional_db: None) -> None:
    project = Project.objects.create(name="lighthouse")

    assert project_of("/srv/lighthouse") == project


def test_the_nearest_root_wins(harbor: Project) -> None:
    inner = make_project(make_tree(Path(harbor.root) / "vendor" / "buoy"))

    assert project_of(f"{harbor.root}/vendor/buoy/src") == inner
    assert project_of(f"{harbor.root}/vendor") == harbor


def test_no_project_is_not_a_project(transactional_db: None) -> None:
    Project.objects.create(name=NO_PROJECT)

    assert project_of(NO_PROJECT) is None


@given(st.text(min_size=1))
@pytest.mark.django_db
def test_whatever_a_scope_says_it_leads_nowhere_by_chance(scope: str) -> None:
    assert project_of(scope) is None
