"""One vector a line, packed into bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.embed import passages
from memory.search.embed.bundled import DIMENSION, WordLlamaEmbedder
from memory.search.embed.types import unit_rows

TEXT = (
    "User asked to rename the crane panel.\n\nThe broker listens on port 45986.\n- ok\nAll tests pass after the change."
)


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_keeps_a_byte_a_number_for_each_line_that_says_something(embedder: WordLlamaEmbedder) -> None:
    texts = [TEXT, "", "short", "One longer line"]
    assert [len(blob) // DIMENSION for blob in passages.pack(texts, embedder)] == [3, 0, 0, 1]
    assert passages.pack([], embedder) == []
    assert passages.pack([""], embedder) == [b""]


def test_caps_the_lines_of_one_text(embedder: WordLlamaEmbedder) -> None:
    [blob] = passages.pack(["a line that says something\n" * 1000], embedder)
    assert len(blob) == passages.MOST * DIMENSION


def test_finds_the_nearest_line_about_as_exactly_as_full_vectors(embedder: WordLlamaEmbedder) -> None:
    question = embedder.embed(["which port does the broker use?"])[0]
    lines = [line for line in TEXT.splitlines() if len(line) > 8]
    [found] = passages.nearest(question, passages.pack([TEXT], embedder))
    assert found == pytest.approx(float((embedder.embed(lines) @ question).max()), abs=0.01)


def test_is_nearer_to_the_text_that_answers(embedder: WordLlamaEmbedder) -> None:
    question = embedder.embed(["which port does the broker use?"])[0]
    near, far = passages.nearest(question, passages.pack([TEXT, "The colours of the map are warmer now."], embedder))
    assert near > far


@pytest.mark.parametrize("blob", [b"", b"x", b"\x01" * (DIMENSION + 1), bytes(DIMENSION)])
def test_puts_what_has_no_vectors_of_this_length_at_zero(embedder: WordLlamaEmbedder, blob: bytes) -> None:
    assert passages.nearest(embedder.embed(["lease"])[0], [blob]) == [0.0]


@given(st.lists(st.lists(st.floats(width=32), min_size=4, max_size=4), min_size=1, max_size=5))
def test_makes_unit_rows_of_any_numbers(rows: list[list[float]]) -> None:
    lengths = np.linalg.norm(unit_rows(np.array(rows, dtype=np.float32)), axis=1)
    assert all(length == 0 or abs(length - 1) < 1e-3 for length in lengths)
