"""Registering a directory as a project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.models import AuditEntry, Change, Project
from memory.projects import actions
from memory.projects.names import InvalidName
from memory.projects.registration import CannotRegister
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db


def add(path: Path | str, name: str = "") -> tuple[Project, bool]:
    return actions.add(path=str(path), name=name, actor=COMMAND, at=timezone.now())


def test_adds_a_project_once(tree: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text()})

    project, is_new = add(tree)
    again, is_new_again = add(f"{tree}/../{tree.name}/")

    assert (is_new, is_new_again) == (True, False)
    assert project == again
    assert (project.name, project.root) == ("harbor", str(tree))
    assert list(Change.objects.values_list("kind", flat=True)) == ["project.added"]
    assert AuditEntry.objects.get().action == "project.added"


def test_a_memsearch_directory_stands_for_its_project(tree: Path) -> None:
    make_tree(tree)

    assert add(tree / ".memsearch")[0].root == str(tree)


def test_a_name_is_made_canonical(tree: Path) -> None:
    make_tree(tree)

    assert add(tree, "  Harbor--API ")[0].name == "harbor-api"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "needs the path"),
        ("/no/such/place", "does not exist"),
        ("C:\\work\\harbor", "path on Windows"),
        ("\\\\host\\share", "path on Windows"),
        ("bad\0path", "needs the path"),
        ("~no-such-person/src", "does not know"),
    ],
)
def test_a_path_that_cannot_be_is_said_in_one_sentence(path: str, said: str) -> None:
    with pytest.raises(CannotRegister, match=said):
        add(path)
    assert not Project.objects.exists()


def test_a_file_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(CannotRegister, match="not a directory"):
        add(tmp_path / "file")


def test_a_directory_without_memory_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(CannotRegister, match=r"no \.memsearch directory"):
        add(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_tree_is_said(tree: Path) -> None:
    make_tree(tree)
    (tree / ".memsearch").chmod(0)

    with pytest.raises(CannotRegister, match="cannot be read"):
        add(tree)


def test_an_impossible_name_is_refused(tree: Path) -> None:
    make_tree(tree)

    with pytest.raises(InvalidName):
        add(tree, "x" * 201)
    assert not Project.objects.exists()


def test_the_same_tree_under_another_name_is_refused(tree: Path) -> None:
    make_tree(tree)
    add(tree)

    with pytest.raises(CannotRegister, match="already registered as harbor"):
        add(tree, "other")


def test_a_tree_reached_through_a_link_is_the_same_tree(tree: Path, tmp_path: Path) -> None:
    make_tree(tree)
    add(tree)
    worktree = tmp_path / "harbor-wt"
    worktree.mkdir()
    (worktree / ".memsearch").symlink_to(tree / ".memsearch")

    with pytest.raises(CannotRegister, match="already registered as harbor"):
        add(worktree)


def test_a_linked_tree_is_read_by_its_real_path(tree: Path, tmp_path: Path) -> None:
    make_tree(tree, {"2026-01-05": make_entry_text()})
    (tmp_path / "worktree").mkdir()
    (tmp_path / "worktree" / ".memsearch").symlink_to(tree / ".memsearch")

    project = make_project(tmp_path / "worktree")

    assert project.memory_dir == str(tree / ".memsearch")
    assert project.entries.count() == 1


def test_a_taken_name_asks_for_another(tmp_path: Path) -> None:
    for parent in ("a", "b"):
        make_tree(tmp_path / parent / "web")
    add(tmp_path / "a" / "web")

    with pytest.raises(CannotRegister, match="name web is taken") as caught:
        add(tmp_path / "b" / "web")
    assert caught.value.field == "name"
    assert add(tmp_path / "b" / "web", "b-web")[1]


def test_a_project_inside_another_is_kept_apart_and_known_as_such(tree: Path) -> None:
    make_tree(tree)
    make_tree(tree / "packages" / "ui")
    outer, inner = add(tree)[0], add(tree / "packages" / "ui")[0]

    assert actions.enclosing(inner) == outer
    assert actions.enclosing(outer) is None


def test_a_project_that_only_agents_named_gets_its_directory(tree: Path) -> None:
    named = Project.objects.create(name="harbor")
    make_tree(tree)

    project, _ = add(tree)

    assert project == named
    assert project.root == str(tree)


def test_memsearch_dir_selects_the_tree(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tmp_path / "elsewhere")
    monkeypatch.setenv("MEMSEARCH_DIR", str(tmp_path / "elsewhere" / ".memsearch"))

    assert add(tree)[0].memory_dir == str(tmp_path / "elsewhere" / ".memsearch")
