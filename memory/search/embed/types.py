"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

type Matrix = NDArray[np.float32]


class Unavailable(Exception):
    """No vectors now: the model is not installed or the endpoint does not answer; the text says which and why."""


class Embedder(Protocol):
    """Makes vectors of texts. Safe to share between threads.

    `name` is stored beside vectors: those of another name are never compared with these. `is_strong` tells whether a text
    as a whole may be found by its vector alone, without any word of the question.
    """

    is_strong: bool

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int:
        """Length of a row. Raises Unavailable while it cannot be known."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row a text, of length 1, or 0 for a text that says nothing to the model. Raises Unavailable."""
        ...


def unit_rows(matrix: Matrix) -> Matrix:
    """Return the rows scaled to length 1; rows of zeros, or with anything that is not a number, become zeros."""
    rows = np.where(np.isfinite(matrix).all(axis=1, keepdims=True), matrix, 0)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    scaled = np.divide(rows, lengths, out=np.zeros(rows.shape, dtype=np.float64), where=lengths > 0)
    return scaled.astype(np.float32)
