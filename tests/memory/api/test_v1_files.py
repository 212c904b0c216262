"""The files routes of the API."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.test import Client

from memory.models import Project
from tests.makers import make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused

pytestmark = pytest.mark.django_db

SECRET = "not for anybody's eyes"


@pytest.fixture
def program(tree: Path) -> Client:
    """A program that asks about a project whose tree holds what should never come out."""
    (tree / "secret.md").write_text(SECRET)
    content: dict[str, str | bytes] = {"notes/deep/a.md": "# Hello <b>you</b>", "a.py": "x = 1", ".state": SECRET}
    make_tree(tree, None, **content, **{"blob.bin": b"\0" * 10})
    memory = tree / ".memsearch"
    (memory / "link.md").symlink_to(tree / "secret.md")
    (memory / "up").symlink_to(tree)
    os.mkfifo(memory / "pipe")
    make_project(tree)
    return make_program()


def test_lists_the_root_of_the_sample(sample: Project) -> None:
    found = read(make_program(), "/projects/harbor-api/files")
    assert found["path"] == ""
    assert set(found) == {"path", "entries"}
    assert [item["name"] for item in found["entries"]] == ["memory", "skill-candidates", "PROJECT.md", "USER.md"]
    assert set(found["entries"][0]) == {"name", "kind", "size", "modified", "previewable", "note"}
    assert found["entries"][2]["modified"].endswith("Z")


def test_lists_what_is_there_but_nothing_hidden(program: Client) -> None:
    items = {item["name"]: item for item in read(program, "/projects/harbor/files")["entries"]}
    assert ".state" not in items
    assert {name: item["kind"] for name, item in items.items()} == {
        "memory": "dir",
        "notes": "dir",
        "a.py": "file",
        "blob.bin": "file",
        "link.md": "link",
        "pipe": "file",
        "up": "link",
    }
    assert [name for name, item in items.items() if item["previewable"]] == ["a.py"]
    assert items["link.md"]["note"]


def test_lists_a_folder_below(program: Client) -> None:
    found = read(program, "/projects/harbor/files", path="notes/deep")
    assert (found["path"], [item["name"] for item in found["entries"]]) == ("notes/deep", ["a.md"])


def test_previews_markdown_as_text_and_as_safe_html(program: Client) -> None:
    found = read(program, "/projects/harbor/files/preview", path="notes/deep/a.md")
    assert set(found) == {"path", "type", "size", "truncated", "content", "html"}
    assert (found["type"], found["size"], found["truncated"]) == ("markdown", 18, False)
    assert found["content"] == "# Hello <b>you</b>"
    assert "<b>" not in found["html"]
    assert "&lt;b&gt;you" in found["html"]


def test_previews_code(program: Client) -> None:
    found = read(program, "/projects/harbor/files/preview", path="a.py")
    assert (found["type"], found["content"]) == ("code", "x = 1")
    assert found["html"].startswith("<pre><code>")


def test_does_not_preview_what_is_binary(program: Client) -> None:
    found = read(program, "/projects/harbor/files/preview", path="blob.bin")
    assert (found["type"], found["content"], found["html"], found["size"]) == ("binary", "", "", 10)


def test_previews_the_start_or_the_end_of_a_large_file(tree: Path) -> None:
    make_project(make_tree(tree, None, **{"big.txt": "start " + "项" * 200_000 + " end"}))
    program = make_program()
    head = read(program, "/projects/harbor/files/preview", path="big.txt", part="head")
    tail = read(program, "/projects/harbor/files/preview", path="big.txt", part="tail")
    assert head["content"].startswith("start 项")
    assert tail["content"].endswith("项 end")
    for found in (head, tail):
        assert found["truncated"]
        assert len(found["content"].encode()) <= 262_144


@pytest.mark.parametrize("route", ["files", "files/preview"])
@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "notes/../../secret.md",
        "/etc/passwd",
        "notes//deep",
        ".state",
        ".",
        "..",
        "a\0b",
        "nothing",
        "a\\b",
        "é" * 300,
    ],
)
def test_leads_nowhere_outside(program: Client, route: str, path: str) -> None:
    response = program.get(f"{ROOT}/projects/harbor/{route}", query_params={"path": path})
    refused(response, 404, "not_found", field="path")
    assert SECRET not in response.content.decode()


@pytest.mark.parametrize("path", ["link.md", "up/secret.md", "up", "pipe", "notes"])
def test_opens_no_link_no_pipe_and_no_folder(program: Client, path: str) -> None:
    response = program.get(f"{ROOT}/projects/harbor/files/preview", query_params={"path": path})
    refused(response, 403, "forbidden", field="path")
    assert SECRET not in response.content.decode()


@pytest.mark.parametrize(
    ("query", "field"), [("", "path"), ("path=a.py&part=middle", "part"), ("path=a.py&part=", "part")]
)
def test_names_the_parameter_that_is_wrong(program: Client, query: str, field: str) -> None:
    refused(program.get(f"{ROOT}/projects/harbor/files/preview?{query}"), 422, "invalid", field=field)


@pytest.mark.parametrize("route", ["files", "files/preview?path=pyproject.toml"])
def test_a_project_without_a_directory_has_no_files(db: None, route: str) -> None:
    Project.objects.create(name="only-named")
    refused(make_program().get(f"{ROOT}/projects/only-named/{route}"), 404, "not_found")


def test_a_tree_that_went_away_is_a_404(program: Client, tree: Path) -> None:
    (tree / ".memsearch").rename(tree / "gone")
    refused(program.get(f"{ROOT}/projects/harbor/files"), 404, "not_found", field="path")
