"""The vectors of all documents in this process, for an embedder that is good enough to find by meaning alone.

They follow the database: each batch of vectors has a number, and a search first takes up those that are new to it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from itertools import batched
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import F
from django.utils import timezone
from numpy.typing import NDArray

from memory.models import Marker, SearchVectors
from memory.search.backends.base import Where
from memory.search.embed.matrix import VectorMatrix
from memory.search.embed.types import Matrix

BATCHES = "search.vectors"
COUNTED = 1.0
_AT_ONCE = 2000


def number() -> int:
    """Return the number of the next batch of vectors; the caller holds the transaction, and is alone until it ends."""
    Marker.objects.get_or_create(name=BATCHES)
    Marker.objects.filter(name=BATCHES).update(value=F("value") + 1, updated_at=timezone.now())
    return Marker.objects.values_list("value", flat=True).get(name=BATCHES)


class Vectors:
    """The matrix of one model, brought up to date by who asks. Safe to share between threads."""

    def __init__(self, model: str, dimension: int) -> None:
        self._model = model
        self._dimension = dimension
        self._lock = threading.Lock()
        self._matrix = VectorMatrix(dimension)
        self._seen = 0
        self._counts_at = 0.0

    def best(self, question: Matrix, where: Where, *, limit: int) -> dict[int, float]:
        """Return the documents nearest to the question of those that meet the condition, the nearest first."""
        with self._lock:
            self._follow()
            ids, cosines = self._matrix.ids.copy(), self._matrix.cosines(question)
        if where.sql:
            allowed = np.isin(ids, _meeting(where))
            ids, cosines = ids[allowed], cosines[allowed]
        order = _highest(cosines, limit)
        return dict(zip(ids[order].tolist(), cosines[order].tolist(), strict=True))

    def nearest(self, question: Matrix, document_ids: Collection[int]) -> dict[int, float]:
        """Return the cosines of documents; nothing for those that have no vector yet."""
        with self._lock:
            self._follow()
            return self._matrix.cosines_of(question, document_ids)

    def _follow(self) -> None:
        """Take up what was made since, and forget what is gone; one query when nothing changed.

        What is gone is looked for once in COUNTED seconds: counting takes longer than all else, and the rows of what is
        gone lead nowhere.
        """
        kept = SearchVectors.objects.filter(model=self._model)
        latest = Marker.objects.filter(name=BATCHES).values_list("value", flat=True).first() or 0
        if latest < self._seen:  # another database, or one that was restored
            self._matrix, self._seen = VectorMatrix(self._dimension), 0
        if latest != self._seen:
            self._counts_at = 0.0
            new = kept.filter(made__gt=self._seen).order_by("-pk").values_list("pk", "lines")
            for part in batched(new.iterator(_AT_ONCE), _AT_ONCE):
                self._matrix.put({pk: bytes(lines) for pk, lines in part})
            self._seen = latest
        if time.monotonic() >= self._counts_at:
            if min(kept.count(), self._matrix.most) != len(self._matrix):
                self._matrix.keep(set(kept.values_list("pk", flat=True)))
            self._counts_at = time.monotonic() + COUNTED


def _highest(values: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Return the places of the highest values, the highest first, equal ones in their order."""
    if len(values) <= limit:
        return np.argsort(-values, kind="stable")
    least = np.partition(values, -limit)[-limit]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:limit]


def _meeting(where: Where) -> list[int]:
    parameters: list[Any] = list(where.parameters)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT d.id FROM memory_searchdocument d{where.joined('WHERE')}", parameters)  # noqa: S608
        return [pk for (pk,) in cursor.fetchall()]
