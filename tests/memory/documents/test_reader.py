"""PROJECT.md and USER.md, read from real trees."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.disk import Tree
from memory.documents import decoding, reader
from memory.documents.reader import DocumentText
from memory.problems import Problem
from tests.places import FIXTURES

MAKER = FIXTURES / "make_memsearch.py"


def read(root: Path) -> tuple[list[DocumentText], list[Problem]]:
    with Tree(root) as tree:
        return reader.read(tree)


@pytest.mark.skipif(not MAKER.exists(), reason="the fixture generator is not here")
def test_reads_both_documents_of_a_made_tree(tmp_path: Path) -> None:
    make = [sys.executable, str(MAKER), "made", "--days", "1", "--quirks", "project-md,user-md"]
    subprocess.run(make, cwd=tmp_path, check=True, capture_output=True)
    root = tmp_path / "made" / ".memsearch"
    documents, problems = read(root)
    assert [document.name for document in documents] == ["PROJECT.md", "USER.md"]
    assert [document.text for document in documents] == [(root / name).read_text() for name in reader.NAMES]
    assert all(document.problems == () for document in documents)
    assert problems == []


def test_finds_nothing_where_there_is_nothing(tmp_path: Path) -> None:
    assert read(tmp_path) == ([], [])


def test_describes_a_document(tmp_path: Path) -> None:
    path = tmp_path / "USER.md"
    path.write_bytes(b"\xef\xbb\xbf# User\r\n\r\n- tabs\r\n")
    os.utime(path, ns=(0, 1_783_000_000_123_456_789))
    [document], _ = read(tmp_path)
    assert document == DocumentText(
        name="USER.md",
        text="# User\n\n- tabs\n",
        content_hash=hashlib.sha256(path.read_bytes()).hexdigest(),
        size=21,
        modified=datetime(2026, 7, 2, 13, 46, 40, 123456, tzinfo=UTC),
        problems=(),
    )


def test_reads_a_document_of_a_year_that_no_calendar_has(tmp_path: Path) -> None:
    path = tmp_path / "USER.md"
    path.write_text("# User\n")
    os.utime(path, (0, 10**12))
    if path.stat().st_mtime < 10**12:
        pytest.skip("this file system keeps no such time")
    [document], _ = read(tmp_path)
    assert document.modified == datetime(1970, 1, 1, tzinfo=UTC)


def test_shows_a_link_and_still_reads_the_other(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (tmp_path / "private.md").write_text("zanzibar-outside")
    (root / "USER.md").symlink_to("../private.md")
    (root / "PROJECT.md").write_text("# Project\n")
    documents, problems = read(root)
    assert [document.name for document in documents] == ["PROJECT.md"]
    assert [problem.path for problem in problems] == ["USER.md"]
    assert "link" in problems[0].text
    assert "zanzibar" not in repr((documents, problems))


def test_shows_a_folder_that_has_the_name_of_a_document(tmp_path: Path) -> None:
    (tmp_path / "PROJECT.md").mkdir()
    documents, problems = read(tmp_path)
    assert documents == []
    assert [problem.path for problem in problems] == ["PROJECT.md"]


def test_reads_the_head_of_a_large_document_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "PROJECT.md").write_bytes(b"x" * (reader.LIMIT - 1) + "ñ tail".encode())
    [document], problems = read(tmp_path)
    assert document.text == "x" * (reader.LIMIT - 1)
    assert document.size == reader.LIMIT + 6
    assert document.problems == ("PROJECT.md has 1,048,582 bytes, of which the first 1,048,576 were read.",)
    assert problems == []


def test_reads_a_document_of_exactly_the_limit_whole(tmp_path: Path) -> None:
    (tmp_path / "PROJECT.md").write_bytes(b"x" * reader.LIMIT)
    [document], _ = read(tmp_path)
    assert len(document.text) == reader.LIMIT
    assert document.problems == ()


@pytest.mark.parametrize(
    ("data", "text", "flaw"),
    [(b"caf\xe9\n", "caf\ufffd\n", decoding.NOT_UTF8), (b"a\0b", "a\ufffdb", decoding.HAS_NUL)],
)
def test_replaces_what_is_not_text_and_says_so(tmp_path: Path, data: bytes, text: str, flaw: str) -> None:
    (tmp_path / "USER.md").write_bytes(data)
    [document], _ = read(tmp_path)
    assert document.text == text
    assert document.problems == (f"USER.md {flaw}",)


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_decodes_any_bytes_into_text_that_can_be_stored(data: bytes) -> None:
    text, flaws = decoding.decode(data)
    text.encode()
    assert not set(text) & {"\0", "\r"}
    assert (decoding.NOT_UTF8 in flaws) == (data.decode("utf-8", "ignore").encode() != data)


@given(st.text(), st.integers(min_value=0))
def test_finds_no_flaw_where_the_data_was_cut(text: str, cut: int) -> None:
    data = text.replace("\0", "").encode("utf-8", "ignore")
    head, flaws = decoding.decode(data[:cut], complete=False)
    assert flaws == ()
    assert decoding.normalise(data.decode()).startswith(head.rstrip("\n"))
