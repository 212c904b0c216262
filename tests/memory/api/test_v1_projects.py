"""`/projects` of the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memory import refs
from memory.models import Change, Project, ProjectAlias
from memory.models.token import Scope
from memory.projects import collection, sync
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import ROOT, Response, make_program, read, refused
from tests.places import FIXTURES

pytestmark = pytest.mark.django_db

KEYS = {
    "name",
    "root",
    "memory_dir",
    "collection",
    "journals",
    "entries",
    "sessions",
    "observations",
    "pending_skills",
    "last_activity",
}


@pytest.fixture
def admin(db: None) -> Client:
    return make_program(Scope.ADMIN)


def test_tells_what_the_sample_project_holds(sample: Project) -> None:
    truth = json.loads((FIXTURES / "sample" / "harbor-api" / "ground-truth.json").read_text())
    found = read(make_program(), "/projects/harbor-api")
    assert set(found) == KEYS
    assert (found["journals"], found["entries"], found["sessions"]) == (10, truth["entries"], 19)
    assert found["pending_skills"] == sum(bool(skill["pending_install"]) for skill in truth["skills"].values())
    assert found["root"] == str(FIXTURES / "sample" / "harbor-api")
    assert found["memory_dir"] == f"{found['root']}/.memsearch"
    assert found["collection"] == collection.collection(Path(found["root"]))
    assert found["observations"] == 0
    assert found["last_activity"].endswith("Z")


def test_lists_projects_as_it_describes_each(sample: Project, tree: Path) -> None:
    make_project(make_tree(tree))
    program = make_program()
    found = read(program, "/projects")["items"]
    assert [item["name"] for item in found] == ["harbor", "harbor-api"]
    assert found[1] == read(program, "/projects/harbor-api")


def test_a_project_without_a_directory_has_no_collection(db: None) -> None:
    Project.objects.create(name="only-named")
    found = read(make_program(), "/projects/only-named")
    assert (found["root"], found["collection"], found["last_activity"]) == ("", "", None)


@pytest.mark.parametrize("spelling", ["harbor-api", "Harbor--API", "%20harbor-api%20", "the-old-name"])
def test_finds_a_project_by_any_spelling_and_by_alias(sample: Project, spelling: str) -> None:
    ProjectAlias.objects.create(project=sample, name="the-old-name")
    assert read(make_program(), f"/projects/{spelling}")["name"] == "harbor-api"


@pytest.mark.parametrize(
    "name", ["a/b", "a/journals", "~tilde", "naïve 项目", "<script>alert(1)</script>", "%2f?#", "a\nb"]
)
def test_finds_a_project_whatever_its_name_holds(db: None, name: str) -> None:
    Project.objects.create(name=name)
    program = make_program()
    assert read(program, f"/projects/{refs.segment(name)}")["name"] == name
    assert read(program, f"/projects/{refs.segment(name)}/journals")["items"] == []
    assert read(program, f"/projects/{refs.segment(name)}/skills")["items"] == []


@pytest.mark.parametrize("name", ["a%2Fb", "%3Cscript%3E", "~tilde", "a%20b"])
def test_finds_a_project_by_its_percent_encoded_name(db: None, name: str) -> None:
    for one in ("a/b", "<script>", "~tilde", "a b"):
        Project.objects.create(name=one)
    program = make_program()
    assert read(program, f"/projects/{name}/journals")["items"] == []


@pytest.mark.parametrize("name", ["nothing", "a%00b", "..", "%FF", "x" * 5000])
def test_says_that_a_project_does_not_exist(db: None, name: str) -> None:
    refused(make_program().get(f"{ROOT}/projects/{name}"), 404, "not_found")


def test_adds_a_project_and_reads_it(admin: Client, tree: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text()})
    response = _add(admin, root=str(tree))
    assert response.status_code == 201
    assert response.json()["entries"] == 1
    assert read(admin, "/projects/harbor") == response.json()
    assert Change.objects.filter(kind="project.added", ref="project:harbor").count() == 1


def test_adding_the_same_directory_again_reads_what_is_new(admin: Client, tree: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text()})
    _add(admin, root=str(tree))
    make_tree(tree, {"2026-01-06": make_entry_text("10:00", turn="2")})
    response = _add(admin, root=str(tree / ".memsearch"))
    assert response.status_code == 200
    assert response.json()["entries"] == 2
    assert Project.objects.count() == 1


def test_adds_a_project_under_another_name(admin: Client, tree: Path) -> None:
    assert _add(admin, root=str(make_tree(tree)), name="The--Harbor").json()["name"] == "the-harbor"


@pytest.mark.parametrize(
    "root",
    ["", " ", "relative/path", "~", "~nobody-of-that-name/x", "/no/such/place", "/etc/passwd", "C:\\Users", "/a\0b"],
)
def test_refuses_what_is_no_directory_with_a_memory(admin: Client, root: str) -> None:
    refused(_add(admin, root=root), 422, "invalid", field="root")


def test_refuses_a_directory_that_remembers_nothing(admin: Client, tree: Path) -> None:
    assert ".memsearch" in refused(_add(admin, root=str(tree)), 422, "invalid", field="root")


def test_refuses_a_name_that_is_taken(admin: Client, sample: Project, tree: Path) -> None:
    refused(_add(admin, root=str(make_tree(tree)), name="harbor-api"), 422, "invalid", field="name")


@pytest.mark.parametrize("name", ["x" * 201, "a\nb", "  "])
def test_refuses_what_is_no_name(admin: Client, tree: Path, name: str) -> None:
    refused(_add(admin, root=str(make_tree(tree)), name=name), 422, "invalid", field="name")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "root"),
        ({"root": 1}, "root"),
        ({"root": "/x", "name": None}, "name"),
        ({"root": "/x", "nmae": "y"}, "nmae"),
        ([], None),
        ("text", None),
        (None, None),
    ],
)
def test_names_the_key_that_is_wrong(admin: Client, body: Any, field: str | None) -> None:
    response = admin.post(ROOT + "/projects", json.dumps(body), content_type="application/json")
    refused(response, 422, "invalid", field=field)


def test_a_problem_on_disk_does_not_stop_the_reading(admin: Client, tree: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text()})
    (tree / ".memsearch" / "memory" / "2026-01-06.md").symlink_to("/etc/passwd")
    response = _add(admin, root=str(tree))
    assert (response.status_code, response.json()["entries"]) == (201, 1)


def test_counts_follow_the_files(sample: Project, tree: Path) -> None:
    project = make_project(make_tree(tree, {"2026-01-05": make_entry_text()}))
    (tree / ".memsearch" / "memory" / "2026-01-05.md").unlink()
    sync.sync(project, at=timezone.now())
    found = read(make_program(), "/projects/harbor")
    assert (found["entries"], found["journals"], found["sessions"]) == (0, 0, 0)


def _add(client: Client, **body: str) -> Response:
    return client.post(ROOT + "/projects", json.dumps(body), content_type="application/json")
