"""Directories as agents name them, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.audit import COMMAND
from memory.models import AuditEntry, Change, Project, ProjectDirectory
from memory.projects import directories
from memory.projects.directories import InvalidDirectory

NOW = timezone.now()


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        ("/srv//harbor/./src/", "/srv/harbor/src"),
        ("c:/work/harbor/", "C:\\work\\harbor"),
        ("C:\\Work\\harbor", "C:\\Work\\harbor"),
        ("\\\\host\\share\\a", "\\\\HOST\\SHARE\\a"),
        ("/", "/"),
        ("c:\\", "C:\\"),
    ],
)
def test_spells_a_path_one_way(path: str, spelled: str) -> None:
    assert directories.spelled(path) == spelled
    assert directories.spelled(spelled) == spelled


def test_lists_what_a_directory_lies_in() -> None:
    assert directories.chain("/srv/harbor/") == ["/srv/harbor", "/srv", "/"]
    assert directories.chain("c:/work/harbor") == ["C:\\work\\harbor", "C:\\work", "C:\\"]
    assert directories.chain("harbor") == directories.chain("c:harbor") == directories.chain("/x" * 5_000) == []


@given(st.text(alphabet="ab/\\:.C ", max_size=12))
def test_spells_and_lists_any_path(path: str) -> None:
    chain = directories.chain(path)

    assert directories.spelled(directories.spelled(path)) == directories.spelled(path)
    assert not chain or chain[0] == directories.spelled(path)


def test_sees_only_directories_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "link").symlink_to(tmp_path)

    assert directories.seen(str(tmp_path / "link")) == tmp_path
    for path in (tmp_path / "file", tmp_path / "loop", tmp_path / "none", "C:\\", "a\0b", "\ud800"):
        assert directories.seen(str(path)) is None


@pytest.mark.django_db(transaction=True)
def test_what_is_told_later_replaces_what_was_told() -> None:
    harbor, tides = (Project.objects.create(name=name) for name in ("harbor", "tides"))
    directories.tell("C:\\work", harbor, at=NOW)
    directories.tell(directory="c:/work/", project=tides, actor=COMMAND, at=NOW)

    told = ProjectDirectory.objects.get()
    assert (told.directory, told.project) == ("C:\\work", tides)
    assert AuditEntry.objects.get().detail == {"directory": "C:\\work"}
    assert list(Change.objects.values_list("kind", "ref").order_by("pk")) == [
        ("project.changed", "project:harbor"),
        ("project.changed", "project:tides"),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["", " ", "work", "c:work", "/a\0b", "/\ud800"])
def test_is_told_only_absolute_paths(path: str) -> None:
    with pytest.raises(InvalidDirectory):
        directories.tell(path, Project.objects.create(name="harbor"), at=NOW)
