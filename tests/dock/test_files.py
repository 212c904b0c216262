"""What the browser of a memory folder shows."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dock import files
from memory.disk import Missing, Refused

LIMIT = files.PREVIEW_LIMIT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A memory folder with a journal, what tools leave there, and a secret beside it."""
    root = tmp_path / "project" / ".memsearch"
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "2026-01-05.md").write_text("# 2026-01-05\n")
    (root / "skill-candidates" / ".git").mkdir(parents=True)
    (root / "skill-candidates" / ".git" / "config").write_text("[core]")
    for name in (
        ".index.pid",
        ".maintenance-state.json",
        ".maintenance-dsh-x.lock",
        "opencode-turns.db",
        "opencode-turns.db-wal",
    ):
        (root / name).write_text("state")
    (tmp_path / "secret").write_text("zanzibar")
    return root


def put(root: Path, name: str, data: bytes) -> str:
    (root / name).write_bytes(data)
    return name


def test_lists_rows_and_counts_what_it_hides(root: Path) -> None:
    os.utime(root / "memory" / "2026-01-05.md", (1_767_600_000, 1_767_600_000))
    top = files.listing(root)
    assert [row.name for row in top.items] == ["memory", "skill-candidates"]
    assert (top.hidden, top.truncated) == (5, False)
    (row,) = files.listing(root, "memory").items
    assert (row.path, row.kind, row.size, row.previewable, row.note) == ("memory/2026-01-05.md", "file", 13, True, "")
    assert row.modified == datetime(2026, 1, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("target", "note"),
    [
        ("../secret", files.LINK_INSIDE),
        ("2026-01-05.md", files.LINK_INSIDE),
        ("../../../secret", files.LINK_OUTSIDE),
        ("/etc/hostname", files.LINK_OUTSIDE),
        ("../../.memsearch-other", files.LINK_OUTSIDE),
    ],
)
def test_lists_a_link_with_a_word_on_where_it_leads(root: Path, target: str, note: str) -> None:
    (root / "memory" / "linked.md").symlink_to(target)
    row = files.listing(root, "memory").items[-1]
    assert (row.kind, row.previewable, row.note) == ("link", False, note)
    with pytest.raises(Refused):
        files.preview(root, "memory/linked.md")


def test_lists_what_cannot_be_previewed_with_the_reason(root: Path) -> None:
    os.mkfifo(root / "pipe")
    put(root, "screenshot.PNG", b"\x89PNG")
    put(root, "back\\slash.md", b"x")
    notes = {row.name: (row.kind, row.previewable, row.note) for row in files.listing(root).items}
    assert notes["pipe"] == ("file", False, files.SPECIAL)
    assert notes["screenshot.PNG"] == ("file", False, files.NO_PREVIEW)
    assert notes["back\\slash.md"] == ("file", False, files.ODD_NAME)


def test_lists_no_more_rows_than_a_page_can_hold(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LISTING_LIMIT", 3)
    for number in range(4):
        put(root, f"{number}.md", b"")
    found = files.listing(root)
    assert (len(found.items), found.truncated) == (3, True)


def test_lists_a_file_with_an_impossible_date(root: Path) -> None:
    os.utime(root / "memory" / "2026-01-05.md", ns=(0, -(2**40)))
    (row,) = files.listing(root, "memory").items
    assert row.modified < datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "path",
    [
        "../../secret",
        "../../no-such-secret",
        "..%2f..%2fetc%2fpasswd",
        "%252e%252e%252f",
        "memory/../../secret",
        "memory/../../no-such-secret",
        "/etc/passwd",
        "/etc/no-such-file",
        "memory\\..\\..\\x",
        "memory/2026-01-05.md%00.png",
        "memory/2026-01-05.md\0.png",
        "skill-candidates/.git/config",
        "skill-candidates/.git",
        ".index.pid",
        ".maintenance-state.json",
        "opencode-turns.db",
        "opencode-turns.db-wal",
        "OpenCode-Turns.db",
        "no-such-file",
    ],
)
def test_answers_hidden_and_outside_paths_as_a_file_that_does_not_exist(root: Path, path: str) -> None:
    for door in (files.listing, files.preview, files.download):
        with pytest.raises(Missing, match=r"^There is no such file\.$"):
            door(root, path)


def test_refuses_to_preview_a_folder(root: Path) -> None:
    for path in ("", "memory"):
        with pytest.raises(Refused):
            files.preview(root, path)


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1])
@pytest.mark.parametrize("part", ["head", "tail"])
def test_previews_up_to_the_limit(root: Path, size: int, part: files.Part) -> None:
    data = b"a" * (size - 1) + b"z"
    found = files.preview(root, put(root, "big.txt", data), part=part)
    shown = min(size, LIMIT)
    assert (found.shown, found.size, found.truncated) == (shown, size, size > LIMIT)
    assert found.content.encode() == (data[-shown:] if part == "tail" else data[:shown])
    assert found.first_line == (None if part == "tail" and found.truncated else 1)


@pytest.mark.parametrize("before", [0, 1, 2, 3])
@pytest.mark.parametrize("part", ["head", "tail"])
def test_cuts_between_characters(root: Path, before: int, part: files.Part) -> None:
    data = b"x" * before + "🌊".encode() * 70_000 + b"y" * (3 - before)
    found = files.preview(root, put(root, "waves.md", data), part=part)
    assert "\ufffd" not in found.content
    assert LIMIT - 3 <= found.shown == len(found.content.encode()) <= LIMIT


@pytest.mark.parametrize("part", ["head", "tail"])
def test_keeps_the_content_in_bounds_where_bad_bytes_are_replaced(root: Path, part: files.Part) -> None:
    data = (b"good words \xe9 and more\n" * 12_000)[:LIMIT]
    found = files.preview(root, put(root, "latin.txt", data), part=part)
    assert LIMIT - 3 <= len(found.content.encode()) <= LIMIT
    assert found.content.count("\ufffd") > 10_000
    assert found.shown < found.size == LIMIT
    assert found.truncated


def test_previews_a_sparse_file_of_three_gigabytes(root: Path) -> None:
    os.truncate(root / put(root, "sparse.md", b"# start\n"), 3 * 1024**3)
    found = files.preview(root, "sparse.md", part="tail")
    assert (found.type, found.content, found.size) == ("binary", "", 3 * 1024**3)


def test_previews_one_long_line(root: Path) -> None:
    found = files.preview(root, put(root, "line.json", b"[" + b"1," * 2_500_000 + b"1]"))
    assert (found.type, found.shown, found.size) == ("json", LIMIT, 5_000_003)


def test_says_that_a_binary_file_has_no_preview(root: Path) -> None:
    with sqlite3.connect(root / "turns.sqlite") as database:
        database.execute("create table turns(id)")
    database.close()
    put(root, "utf16.md", "# note".encode("utf-16"))
    put(root, "utf16-zh.md", b"\xff\xfe" + "潮汐泊位".encode("utf-16-le"))
    put(root, "nul.md", b"a\0b")
    put(root, "noise", bytes(range(128, 256)) * 9)
    for name in ("turns.sqlite", "utf16.md", "utf16-zh.md", "nul.md", "noise"):
        found = files.preview(root, name)
        assert (found.type, found.content, found.note) == ("binary", "", "Binary file, no preview.")


def test_says_that_a_file_is_empty(root: Path) -> None:
    found = files.preview(root, put(root, "empty.md", b""))
    assert (found.type, found.content, found.note, found.truncated) == ("empty", "", "This file is empty.", False)


@pytest.mark.parametrize(
    ("name", "kind", "language"),
    [
        ("SKILL.MD", "markdown", "markdown"),
        ("meta.json", "json", "json"),
        ("config.toml", "toml", "toml"),
        ("ci.yml", "yaml", "yaml"),
        ("run.sh", "code", "bash"),
        ("tide.py", "code", "python"),
        ("berths.csv", "text", ""),
        ("Makefile", "text", ""),
        ("odd.zzz", "text", ""),
    ],
)
def test_names_the_type_by_the_extension(root: Path, name: str, kind: str, language: str) -> None:
    found = files.preview(root, put(root, name, b"x: 1\n"))
    assert (found.type, found.language, found.name) == (kind, language, name)


def test_keeps_line_ends_and_a_byte_order_mark(root: Path) -> None:
    data = b"\xef\xbb\xbf# a\r\n"
    assert files.preview(root, put(root, "bom.md", data)).content.encode() == data


def test_downloads_a_whole_file(root: Path) -> None:
    file, name, size = files.download(root, "memory/2026-01-05.md")
    with file:
        assert (file.read(), name, size) == (b"# 2026-01-05\n", "2026-01-05.md", 13)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (812, "812 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (6_246, "6.1 KB"),
        (1_048_570, "1.0 MB"),
        (1_048_913, "1.0 MB"),
        (3 * 1024**3, "3.0 GB"),
        (5 * 1024**5, "5120.0 TB"),
    ],
)
def test_says_sizes_in_words(size: int, words: str) -> None:
    assert files.size_words(size) == words
