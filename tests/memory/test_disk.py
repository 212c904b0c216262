"""The only door to the files of a memory folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from memory.disk import Missing, Refused, Tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A memory folder with a journal, and a secret beside it."""
    (tmp_path / "secret.txt").write_text("zanzibar")
    root = tmp_path / "project" / ".memsearch"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "2026-01-05.md").write_bytes(b"# 2026-01-05\n")
    return root


def open_descriptors() -> set[str]:
    """What this process holds open, but for what listing it opens."""
    return {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


def test_reads_a_file_with_its_facts(root: Path) -> None:
    facts = (root / "memory" / "2026-01-05.md").stat()
    with Tree(root) as tree:
        content = tree.read("memory/2026-01-05.md", limit=100)
    assert content.data == b"# 2026-01-05\n"
    assert (content.size, content.modified_ns) == (13, facts.st_mtime_ns)
    assert (content.device, content.inode) == (facts.st_dev, facts.st_ino)


@pytest.mark.parametrize(
    ("limit", "offset", "data", "start"),
    [
        (4, 0, b"# 20", 0),
        (4, 2, b"2026", 2),
        (4, -3, b"05\n", 10),
        (4, -99, b"# 20", 0),
        (4, 99, b"", 99),
        (0, 0, b"", 0),
    ],
)
def test_reads_the_piece_that_was_asked_for(root: Path, limit: int, offset: int, data: bytes, start: int) -> None:
    with Tree(root) as tree:
        content = tree.read("memory/2026-01-05.md", limit=limit, offset=offset)
    assert (content.data, content.offset, content.size) == (data, start, 13)


def test_opens_a_file_that_outlives_the_tree(root: Path) -> None:
    with Tree(root) as tree:
        file = tree.open("memory/2026-01-05.md")
    with file:
        assert file.read() == b"# 2026-01-05\n"


def test_lists_folders_first_and_numbers_by_value(root: Path) -> None:
    for name in ("b10.md", "B9.md", "a.md", "²"):
        (root / name).touch()
    (root / "zebra").mkdir()
    (root / "Apple").mkdir()
    with Tree(root) as tree:
        assert [item.name for item in tree.scan()] == ["Apple", "memory", "zebra", "a.md", "B9.md", "b10.md", "²"]


def test_says_what_each_name_is(root: Path) -> None:
    (root / "link").symlink_to("memory")
    os.mkfifo(root / "pipe")
    with Tree(root) as tree:
        kinds = {item.name: item.kind for item in tree.scan()}
        assert kinds == {"memory": "dir", "link": "link", "pipe": "other"}
        assert {name: tree.stat(name).kind for name in kinds} == kinds
        assert tree.stat("").kind == "dir"


def test_lists_a_name_that_is_not_utf8_and_does_not_open_it(root: Path) -> None:
    (root / os.fsdecode(b"caf\xe9.md")).write_text("hidden")
    with Tree(root) as tree:
        item = tree.scan()[-1]
        assert (item.name, item.openable) == ("caf\ufffd.md", False)
        for spelling in (item.name, os.fsdecode(b"caf\xe9.md")):
            with pytest.raises(Missing):
                tree.read(spelling, limit=10)


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../../secret.txt",
        "memory/../../../secret.txt",
        "memory/../memory/2026-01-05.md",
        "./memory",
        "memory//2026-01-05.md",
        "/etc/passwd",
        "memory/",
        "memory\\2026-01-05.md",
        "memory/2026-01-05.md\0.png",
        "memory/2026-01-05.md/x",
        "memory/\udcff",
        "x" * 300,
        "no/such/file",
    ],
)
def test_finds_nothing_at_a_path_that_is_not_plain(root: Path, path: str) -> None:
    with Tree(root) as tree:
        for door in (tree.stat, tree.scan, tree.open, lambda path: tree.read(path, limit=10)):
            with pytest.raises(Missing, match=r"^There is no such file\.$"):
                door(path)


@pytest.mark.parametrize("target", ["../../secret.txt", "memory/2026-01-05.md", "no-such-file", "link"])
def test_refuses_a_link_wherever_it_leads(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)
    with Tree(root) as tree:
        with pytest.raises(Refused, match="links are not followed"):
            tree.read("link", limit=10)
        with pytest.raises(Refused):
            tree.open("link")
        assert tree.target("link") == target


def test_refuses_a_path_through_a_linked_folder(root: Path) -> None:
    (root / "org").symlink_to(root.parent.parent)
    with Tree(root) as tree:
        for door in (tree.stat, tree.scan, tree.open):
            with pytest.raises(Refused):
                door("org/secret.txt")
        with pytest.raises(Refused):
            tree.scan("org")


def test_refuses_special_files_without_waiting(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe")
    monkeypatch.chdir(root)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listener, Tree(root) as tree:
        listener.bind("socket")
        for name in ("pipe", "socket"):
            with pytest.raises(Refused, match="not a regular file"):
                tree.read(name, limit=10)


def test_refuses_the_wrong_kind(root: Path) -> None:
    with Tree(root) as tree:
        with pytest.raises(Refused, match="folder, not a file"):
            tree.read("memory", limit=10)
        with pytest.raises(Refused, match="file, not a folder"):
            tree.scan("memory/2026-01-05.md")


def test_follows_a_link_only_to_the_root_itself(root: Path, tmp_path: Path) -> None:
    (tmp_path / "worktree").symlink_to(root)
    with Tree(tmp_path / "worktree") as tree:
        assert tree.root == root
        assert [item.name for item in tree.scan("memory")] == ["2026-01-05.md"]


def test_tells_a_missing_root_from_one_that_is_no_folder(root: Path) -> None:
    os.mkfifo(root / "pipe")
    for absent in (root / "none", Path("bad\0name")):
        with pytest.raises(Missing):
            Tree(absent)
    for other in (root / "memory" / "2026-01-05.md", root / "pipe"):
        with pytest.raises(Refused):
            Tree(other)


def test_stays_in_the_folder_that_was_opened_when_its_name_is_given_away(root: Path) -> None:
    with Tree(root) as tree:
        root.rename(root.parent / "moved")
        root.symlink_to(root.parent.parent)
        assert [item.name for item in tree.scan()] == ["memory"]
        with pytest.raises(Missing):
            tree.read("secret.txt", limit=10)


def test_gives_back_every_descriptor(root: Path) -> None:
    (root / "link").symlink_to("memory")
    before = open_descriptors()
    with Tree(root) as tree:
        tree.scan("memory")
        tree.stat("memory/2026-01-05.md")
        tree.read("memory/2026-01-05.md", limit=1)
        tree.open("memory/2026-01-05.md").close()
        for path in ("link/x", "memory/none", "memory/2026-01-05.md/x", "memory"):
            with pytest.raises((Missing, Refused)):
                tree.read(path, limit=1)
    assert open_descriptors() == before
