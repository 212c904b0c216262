"""One vector a document, scored exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.embed import matrix
from memory.search.embed.matrix import VectorMatrix

SIZE = 4
blobs = st.binary(min_size=SIZE, max_size=SIZE)
QUESTION = np.array([0.5, -0.5, 0.5, 0.5], dtype=np.float32)


def cosine(blob: bytes) -> float:
    row = np.frombuffer(blob, dtype=np.int8).astype(float)
    return float(row @ QUESTION / max(np.linalg.norm(row), 1))


@given(
    first=st.dictionaries(st.integers(1, 50), blobs),
    second=st.dictionaries(st.integers(1, 50), blobs),
    left=st.sets(st.integers(1, 50)),
)
def test_keeps_what_was_put_last_of_what_is_left(
    first: dict[int, bytes], second: dict[int, bytes], left: set[int]
) -> None:
    rows = VectorMatrix(SIZE)
    rows.put(first)
    rows.keep(left)
    rows.put(second)
    expected = {pk: cosine(blob) for pk, blob in ({k: v for k, v in first.items() if k in left} | second).items()}
    assert dict(zip(rows.ids.tolist(), rows.cosines(QUESTION), strict=True)) == pytest.approx(expected, abs=1e-5)
    assert rows.cosines_of(QUESTION, [*expected, 99]) == pytest.approx(expected, abs=1e-5)
    assert len(rows) == len(expected)


def test_scores_more_rows_than_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "_BLOCK", 7)
    packed = {pk: bytes([pk % 128, 1, 2, 3]) for pk in range(3000)}
    rows = VectorMatrix(SIZE)
    rows.put(packed)
    assert rows.cosines(QUESTION).tolist() == pytest.approx([cosine(blob) for blob in packed.values()], abs=1e-5)


def test_takes_no_more_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "LARGEST", 3 * SIZE)
    rows = VectorMatrix(SIZE)
    rows.put({pk: bytes([pk] * SIZE) for pk in range(1, 6)})
    rows.put({2: bytes([9] * SIZE), 7: bytes(SIZE)})
    assert rows.ids.tolist() == [1, 2, 3]
    assert len(rows) == rows.most == 3


def test_puts_vectors_of_another_length_at_zero() -> None:
    rows = VectorMatrix(SIZE)
    rows.put({1: b"", 2: b"abcdefgh", 3: b"abcd"})
    assert [round(float(near), 3) for near in rows.cosines(QUESTION)] == [0, 0, round(cosine(b"abcd"), 3)]
