"""Chunks and ids are MemSearch's own, whatever the file holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.backends.milvus.chunks import chunk
from memory.search.backends.milvus.journals import public

theirs = pytest.importorskip("memsearch.chunker", reason="the group milvus is not installed")

PIECES = [
    *(
        "a",
        "word. ",
        "# H",
        "## Session 09:10",
        "###",
        "#tag",
        "\n",
        "\n\n",
        "\r\n",
        "句子。",
        "…",
        "한국어. 다음",
        " ",
    ),
    *("<!-- session:s turn:1 -->", "<!--", "-->", "### 09:12\n- line\n", "```\n# in a fence\n```\n"),
    *("x" * 700, "y. " * 300, "z" * 1500, "w" * 1600, "   " + "q. " * 600),
]


def test_knows_the_published_example() -> None:
    [one] = chunk("# A\nhello\n", "/s/a.md")

    assert (one.start_line, one.end_line, one.id("m")) == (1, 3, "8b20c1ccb8129603")


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=25).map("".join))
def test_cuts_any_file_as_memsearch_does(text: str) -> None:
    expected = [
        (
            *(one.content, one.heading, one.heading_level, one.start_line, one.end_line),
            theirs.compute_chunk_id(one.source, one.start_line, one.end_line, one.content_hash, "m"),
            theirs.clean_content_for_embedding(one.content),
        )
        for one in theirs.chunk_markdown(text, "/s/a.md")
    ]

    found = chunk(text, "/s/a.md")

    assert [
        (one.content, one.heading, one.level, one.start_line, one.end_line, one.id("m"), one.said) for one in found
    ] == expected


def test_a_private_block_leaves_the_entries_below_on_their_lines() -> None:
    text = "### 09:00\n- a <private>\n1\n2\n3\n</private> b\n### 09:10\n- c <private> open\n### 09:20\n- d\n"

    kept = public(text)

    assert [kept.split("\n").index(f"### 09:{minute}") for minute in ("00", "10", "20")] == [0, 6, 8]
    assert "3" not in kept
    assert "open" not in kept
    assert "- d\n" in kept
