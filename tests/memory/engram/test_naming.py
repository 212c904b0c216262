"""Ids, scopes and projects as Engram's clients name them."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from memory.engram import naming
from memory.engram.errors import InvalidProject
from memory.models import Project, ProjectAlias
from memory.models.project import NO_PROJECT
from memory.projects.similar import similar


@pytest.mark.parametrize("prefix", ["obs", "prompt", "rel"])
def test_makes_ids_of_engrams_form(prefix: str) -> None:
    made = {naming.new_sync_id(prefix) for _ in range(50)}

    assert len(made) == 50
    assert all(re.fullmatch(prefix + "-[0-9a-f]{16}", one) for one in made)


@pytest.mark.parametrize(
    ("value", "scope"),
    [("personal", "personal"), (" Global ", "global"), ("project", "project"), ("", "project"), ("team", "project")],
)
def test_takes_unknown_scopes_for_the_projects(value: str, scope: str) -> None:
    assert naming.scope(value) == scope


@pytest.mark.django_db
def test_makes_a_project_on_the_first_write_that_names_it() -> None:
    made = naming.project_of(" Harbor--API ")

    assert made.name == "harbor-api"
    assert naming.project_of("harbor-api") == made
    assert Project.objects.count() == 1


@pytest.mark.django_db
def test_knows_a_project_by_its_other_name() -> None:
    target = naming.project_of("harbor-gateway")
    ProjectAlias.objects.create(project=target, name="harbor-api", created_at=timezone.now())

    assert naming.project_of("Harbor-Api") == target


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", " \n"])
def test_keeps_what_belongs_to_no_project_apart(name: str) -> None:
    assert naming.project_of(name).name == NO_PROJECT
    assert naming.wire_name(naming.project_of(name)) == ""
    assert naming.wire_name(naming.project_of("harbor-api")) == "harbor-api"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["x" * 201, "a\0b", "a\nb"])
def test_refuses_what_cannot_be_a_name(name: str) -> None:
    with pytest.raises(InvalidProject):
        naming.project_of(name)

    assert not Project.objects.exists()


@pytest.mark.django_db
def test_spellings_that_differ_in_more_than_case_stay_apart() -> None:
    spellings = ["harbor-api", "Harbor-Api", "HARBOR_API", "C:\\work\\harbor-api", "-projectname harbor-api", ""]
    made = [naming.project_of(spelling).name for spelling in spellings]

    assert made == [
        "harbor-api",
        "harbor-api",
        "harbor_api",
        "c:\\work\\harbor-api",
        "-projectname harbor-api",
        NO_PROJECT,
    ]
    assert similar("harbor_api", made) == ["harbor-api", "c:\\work\\harbor-api"]
