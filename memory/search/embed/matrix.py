"""One vector a document in memory, scored exactly: no approximate index to keep, and nothing that it would miss."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from memory.search.embed.types import Matrix

LARGEST = 256 * 1024 * 1024
"""Bytes of all rows: 262,144 documents at 1,024 numbers; what comes then is found by words only."""
_BLOCK = 4096
"""Rows that are turned into floats at once, so that no second copy of the matrix is ever made."""
_FIRST = 1024


class VectorMatrix:
    """Rows of bytes by document id. Not safe to share between threads."""

    def __init__(self, dimension: int) -> None:
        self._places: dict[int, int] = {}
        self._ids = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros((0, dimension), dtype=np.int8)
        self._lengths = np.zeros(0, dtype=np.float32)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the documents, in the order of their rows."""
        return self._ids[: len(self)]

    @property
    def most(self) -> int:
        """How many documents there is room for."""
        return LARGEST // max(self._rows.shape[1], 1)

    def put(self, packed: Mapping[int, bytes]) -> None:
        """Keep the rows of documents instead of what was kept of them; bytes of another length are zeros."""
        size = self._rows.shape[1]
        fresh = [pk for pk in packed if pk not in self._places][: self.most - len(self)]
        self._places |= {pk: place for place, pk in enumerate(fresh, len(self))}
        self._grow(len(self))
        ids = [pk for pk in packed if pk in self._places]
        places = [self._places[pk] for pk in ids]
        data = b"".join(packed[pk] if len(packed[pk]) == size else bytes(size) for pk in ids)
        rows = np.frombuffer(data, dtype=np.int8).reshape(len(ids), size)
        self._ids[places], self._rows[places] = ids, rows
        self._lengths[places] = np.maximum(np.linalg.norm(rows.astype(np.float32), axis=1), 1)

    def keep(self, ids: Collection[int]) -> None:
        """Forget all documents but these."""
        left = np.flatnonzero(np.isin(self.ids, np.fromiter(ids, dtype=np.int64, count=len(ids))))
        self._ids, self._rows, self._lengths = self._ids[left], self._rows[left], self._lengths[left]
        self._places = {int(pk): place for place, pk in enumerate(self._ids)}

    def cosines(self, question: Matrix) -> NDArray[np.float32]:
        """Return the cosine of each row with the question's, in the order of `ids`."""
        found = np.zeros(len(self), dtype=np.float32)
        for start in range(0, len(self), _BLOCK):
            rows = self._rows[start : min(start + _BLOCK, len(self))]
            found[start : start + len(rows)] = rows.astype(np.float32) @ question
        return found / self._lengths[: len(self)]

    def cosines_of(self, question: Matrix, wanted: Collection[int]) -> dict[int, float]:
        """Return the cosines of those of the wanted documents that are here."""
        here = [pk for pk in wanted if pk in self._places]
        places = [self._places[pk] for pk in here]
        found = self._rows[places].astype(np.float32) @ question / self._lengths[places]
        return dict(zip(here, found.tolist(), strict=True))

    def _grow(self, count: int) -> None:
        if count > len(self._ids):
            size = max(_FIRST, count, len(self._ids) * 3 // 2)
            self._ids.resize(size, refcheck=False)
            self._lengths.resize(size, refcheck=False)
            self._rows.resize((size, self._rows.shape[1]), refcheck=False)
