"""The way to a file of a workspace."""

from __future__ import annotations

import os
import posixpath
import socket
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import example, given
from hypothesis import strategies as st

from memory.artifacts import paths
from memory.artifacts.errors import ArtifactError
from memory.disk import DiskError, Missing, Refused

SECRET = b"zanzibar"
STEPS = st.sampled_from(
    ["..", ".", "", "a", "b", "in", "out", "loop", "note.txt", "secret.txt", "é", "\0", "a\\b", "~", "\n"]
)
ODD_PATHS = st.lists(STEPS, max_size=8).map("/".join) | st.text(max_size=30)


@pytest.fixture
def root(work: Path) -> Path:
    """A workspace with a file, folders, links in and out, and a secret beside it."""
    (work.parent / "secret.txt").write_bytes(SECRET)
    (work / "a" / "b").mkdir(parents=True)
    (work / "note.txt").write_bytes(b"plain")
    (work / "a" / "note.txt").write_bytes(b"deep")
    (work / "in").symlink_to("note.txt")
    (work / "out").symlink_to("..")
    (work / "loop").symlink_to("loop")
    return work


def read(root: Path | str, path: str) -> bytes:
    file, inside = paths.opened(str(root), path)
    with file:
        assert file.read(0) == b""
        assert paths.relative(str(root), inside) == inside
        return file.read()


def test_opens_one_file_by_all_its_spellings(root: Path) -> None:
    for path in (
        "a/note.txt",
        "./a/note.txt",
        "a//note.txt",
        "a/b/../note.txt",
        f"{root}/a/note.txt",
        f"../{root.name}/a/note.txt",
    ):
        file, inside = paths.opened(str(root), path)
        with file:
            assert (inside, file.read()) == ("a/note.txt", b"deep")


def test_knows_an_absolute_path_by_both_names_of_the_workspace(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)
    for path in ("note.txt", f"{alias}/note.txt", f"{root}/note.txt"):
        assert read(alias, path) == b"plain"


@pytest.mark.parametrize("path", ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "..", "/", "../work2/x"])
def test_refuses_what_lies_outside(root: Path, path: str) -> None:
    with pytest.raises(ArtifactError, match="outside the session's workspace"):
        paths.opened(str(root), path)


@pytest.mark.parametrize("path", ["in", "out/secret.txt", "out", "loop", "out/work/note.txt"])
def test_follows_no_link(root: Path, path: str) -> None:
    with pytest.raises(Refused):
        paths.opened(str(root), path)


def test_opens_nothing_but_regular_files(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "door"))
        for path in ("pipe", "door", "a", "", "."):
            with pytest.raises(Refused):
                paths.opened(str(root), path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_opens_no_device(root: Path) -> None:
    try:
        os.mknod(root / "null", 0o600 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no devices can be made here")
    with pytest.raises(Refused):
        paths.opened(str(root), "null")


def test_says_that_a_file_is_not_there(root: Path) -> None:
    for path in ("nothing.txt", "note.txt/deeper", "a\0b", "a\\note.txt", "x" * 300):
        with pytest.raises(Missing):
            paths.opened(str(root), path)


@pytest.mark.parametrize("workspace", ["", "/", "//", "relative", "/no/such/folder", "/a\0b", "/.."])
def test_takes_nothing_where_the_workspace_is_none(db: None, workspace: str) -> None:
    with pytest.raises(ArtifactError, match="workspace"):
        paths.opened(workspace, "note.txt")


def test_takes_nothing_of_memdock_itself_or_of_the_kernel(data: Path) -> None:
    (data / "secret_key").write_bytes(SECRET)
    (data.parent / "link").symlink_to(data)
    tries = [
        (data.parent, "data/secret_key"),
        (data, "secret_key"),
        (data.parent / "link", "secret_key"),
        (Path("/proc"), f"{os.getpid()}/environ"),
        (Path(f"/proc/{os.getpid()}"), "environ"),
    ]
    assert Path(settings.DATA_DIR) == data
    for workspace, path in tries:
        with pytest.raises(ArtifactError, match="MemDock itself"):
            paths.opened(str(workspace), path)


@given(path=ODD_PATHS)
@example(path="out/secret.txt")
@example(path="a/../../secret.txt")
def test_no_path_leads_out(root: Path, path: str) -> None:
    for told in (path, f"{root}/{path}", f"{root.parent}/{path}", f"/{path}"):
        try:
            file, inside = paths.opened(str(root), told)
        except (ArtifactError, DiskError):
            continue
        with file:
            assert file.read() != SECRET
            assert Path(os.path.realpath(root / inside)).is_relative_to(root)


@given(path=ODD_PATHS.filter(lambda path: "\0" not in path))
def test_a_path_has_one_spelling_or_leads_out(path: str) -> None:
    try:
        inside = paths.relative("/work/harbor", path)
    except ArtifactError:
        assert not posixpath.normpath(posixpath.join("/work/harbor", path)).startswith("/work/harbor/")
    else:
        assert ".." not in inside.split("/")
        assert paths.relative("/work/harbor", inside) == inside
        assert paths.relative("/work/harbor", f"/work/harbor/{inside}") == inside
