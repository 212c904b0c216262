"""Entries are appended in MemSearch's bytes, once a turn, and whatever another writer did stays."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.journal import anchors, grammar, writer
from memory.journal.anchors import Anchor

AT = datetime(2026, 5, 24, 4, 43, tzinfo=ZoneInfo("Asia/Bangkok"))


@pytest.fixture(autouse=True)
def _bangkok() -> Iterator[None]:
    with timezone.override(ZoneInfo("Asia/Bangkok")):
        yield


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".memsearch").mkdir()
    return tmp_path / ".memsearch"


def make_anchor(session: str = "s1", turn: str = "1", path: str = "/h/s.jsonl") -> Anchor:
    return Anchor(session=session, turn=turn, has_turn=True, kind="db", path=path)


def append(tree: Path, anchor: Anchor | None = None, body: str = "- Did a thing", **given: object) -> writer.Appended:
    return writer.append(tree, anchor=anchor or make_anchor(), body=body, occurred_at=AT, **given)  # type: ignore[arg-type]


def day(tree: Path) -> Path:
    return tree / "memory" / "2026-05-24.md"


def test_a_new_day_has_the_bytes_of_the_dsh_plugin_on_the_local_date(tree: Path) -> None:
    appended = append(tree)

    assert appended == writer.Appended("memory/2026-05-24.md", was_there=False)
    assert day(tree).read_bytes() == (
        b"# 2026-05-24\n\n## Session 04:43\n\n### 04:43\n<!-- session:s1 turn:1 db:/h/s.jsonl -->\n- Did a thing\n\n"
    )


def test_a_session_has_one_heading_a_day(tree: Path) -> None:
    append(tree)
    append(tree, make_anchor(turn="2"))
    append(tree, make_anchor(session="s2"))

    assert day(tree).read_text().count("## Session ") == 2
    assert day(tree).read_text().count("### 04:43\n") == 3


def test_a_turn_is_written_once_whatever_day_it_stands_on(tree: Path) -> None:
    append(tree)
    os.rename(day(tree), tree / "memory" / "2026-05-23.md")
    before = (tree / "memory" / "2026-05-23.md").read_bytes()

    assert append(tree) == writer.Appended("memory/2026-05-23.md", was_there=True)
    assert not day(tree).exists()
    assert (tree / "memory" / "2026-05-23.md").read_bytes() == before


def test_turn_1_is_not_turn_11(tree: Path) -> None:
    append(tree, make_anchor(turn="11"))

    assert not append(tree, make_anchor(turn="1")).was_there


def test_a_better_summary_is_a_second_entry_of_the_turn_and_no_third_one(tree: Path) -> None:
    append(tree)

    assert not append(tree, body="- Better", copies=2).was_there
    assert append(tree, body="- Better", copies=2).was_there
    assert day(tree).read_text().count("turn:1 ") == 2


@pytest.mark.parametrize("bom", [b"", grammar.BOM])
@pytest.mark.parametrize("end", [b"", b"\r\n", b"\r\n\r\n"])
def test_line_ends_and_mark_of_the_file_stay(tree: Path, bom: bytes, end: bytes) -> None:
    (tree / "memory").mkdir()
    before = bom + b"# 2026-05-24\r\n\r\n### 09:00\r\n<!-- session:s1 turn:0 db:/d -->\r\n- a" + end
    day(tree).write_bytes(before)

    append(tree)

    after = day(tree).read_bytes()
    assert after.startswith(before)
    assert after.replace(b"\r\n", b"").count(b"\n") == 0
    assert after.count(grammar.BOM) == bom.count(grammar.BOM)
    assert [entry.body for entry in grammar.parse(after).entries] == ["- a", "- Did a thing"]


def test_links_are_not_written_through(tree: Path, tmp_path: Path) -> None:
    (tree / "memory").mkdir()
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    day(tree).symlink_to(outside)

    with pytest.raises(writer.CannotWrite, match="link"):
        append(tree)
    assert outside.read_text() == "mine"


def test_a_folder_that_is_a_link_is_refused(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tree / "memory").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(writer.CannotWrite, match="link"):
        append(tree)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("body", ["", "  \n", "\x1b[31m"])
def test_nothing_is_not_an_entry(tree: Path, body: str) -> None:
    with pytest.raises(writer.CannotWrite, match="nothing"):
        append(tree, body=body)


def _append_many(tree: Path, worker: int) -> None:
    with timezone.override(ZoneInfo("Asia/Bangkok")):
        for turn in range(10):
            append(tree, make_anchor(session=f"s{worker % 2}", turn=str(turn)))


def test_simultaneous_writers_lose_nothing_and_double_nothing(tree: Path) -> None:
    append(tree, make_anchor(session="first"))
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_append_many, args=(tree, worker)) for worker in range(4)]
    for process in processes:
        process.start()
    foreign = 0
    while any(process.is_alive() for process in processes):  # another tool, which knows no lock
        with day(tree).open("ab", buffering=0) as file:
            file.write(b"### 05:00\n- Written by another tool\n\n")
        foreign += 1
        processes[0].join(0.02)
    for process in processes:
        process.join()

    entries = grammar.parse(day(tree).read_bytes()).entries
    turns = [(entry.anchor.session, entry.anchor.turn) for entry in entries if entry.anchor]
    assert sorted(turns[1:]) == sorted((f"s{session}", str(turn)) for session in (0, 1) for turn in range(10))
    assert sum(entry.body == "- Written by another tool" for entry in entries) == foreign


@given(st.text(), st.text(), st.text())
def test_an_anchor_is_read_as_one_line_with_one_session(session: str, turn: str, path: str) -> None:
    written = anchors.line(make_anchor(session, turn, path))

    read = anchors.parse(written)

    assert "\n" not in written
    assert read is not None
    assert read.has_turn
    assert read.kind == "db"


@given(st.text(alphabet="#<!-> \n\rSession:0123456789- turnMemoryCompact", max_size=200))
def test_no_body_forges_an_entry(body: str) -> None:
    try:
        text = writer._harmless(body)
    except writer.CannotWrite:
        return
    parsed = grammar.parse(b"### 10:00\n<!-- session:a turn:1 db: -->\n" + text.encode() + b"\n\n")

    assert len(parsed.entries) == 1
    assert parsed.session_headings == 0
    assert b"<!--" not in text.encode()
