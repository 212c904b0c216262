"""Promises of the file browser that hold for any path and any content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dock import files
from memory.disk import DiskError

SECRET = "zanzibar"
PARTS = [
    "..",
    ".",
    "",
    "memory",
    "note.md",
    "out",
    "outside",
    "secret.txt",
    "up",
    "etc",
    "\0",
    "\\",
    "%2e%2e",
    ".git",
    "...",
]

paths = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(PARTS), max_size=8).map("/".join),
    st.lists(st.sampled_from([*PARTS, "/", "\\", "//"]), max_size=8).map("".join),
)
contents = st.one_of(st.binary(max_size=64), st.text(max_size=40).map(str.encode))


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A memory folder full of ways out, and a secret outside of it."""
    with TemporaryDirectory() as name:
        outside = Path(name)
        root = outside / "project" / ".memsearch"
        (root / "memory").mkdir(parents=True)
        (root / "memory" / "note.md").write_text("harbor")
        (outside / "secret.txt").write_text(SECRET)
        for folder in (root, root / "memory"):
            (folder / "out").symlink_to(outside)
            (folder / "secret.txt").symlink_to(outside / "secret.txt")
            (folder / "up").symlink_to("..")
        yield root


@given(path=paths)
@example(path="memory/note.md")
@example(path="out/secret.txt")
@example(path="memory/up/memory/note.md")
def test_reads_nothing_outside_whatever_the_path(root: Path, path: str) -> None:
    for door in (files.preview, files.listing):
        try:
            found = door(root, path)
        except DiskError as error:
            assert not path or len(path) < 4 or path not in str(error)
        else:
            assert path in {"", "memory", "memory/note.md"}
            assert SECRET not in str(found)


@given(
    pieces=st.lists(contents, min_size=1, max_size=6), copies=st.integers(1, 60), part=st.sampled_from(["head", "tail"])
)
def test_previews_any_content_in_bounds(pieces: list[bytes], copies: int, part: files.Part) -> None:
    data = b"".join(pieces) * copies
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.setattr(files, "PREVIEW_LIMIT", 101)
        (Path(name) / "file").write_bytes(data)
        found = files.preview(Path(name), "file", part=part)
    assert len(found.content.encode()) <= 101
    assert found.shown <= min(101, found.size)
    assert found.size == len(data)
    if found.type not in {"binary", "empty"}:
        assert found.truncated == (found.shown < found.size)


@given(
    text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=101),
    part=st.sampled_from(["head", "tail"]),
)
def test_previews_the_very_start_or_end_of_any_text(text: str, part: files.Part) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as name:
        patch.setattr(files, "PREVIEW_LIMIT", 101)
        (Path(name) / "file").write_bytes(text.encode())
        found = files.preview(Path(name), "file", part=part)
    assert text.endswith(found.content) if part == "tail" else text.startswith(found.content)
    assert found.shown == len(found.content.encode()) >= 98
