"""Meaning: how near a document's lines are to a question, where an embedder is there; without one, words are enough.

The bundled embedder is small and nearly blind to Chinese, Japanese and Korean, so it only gives the best hits by words
a second look, the more the more of the question is in Latin script (measured in tests/bench/recall). An embedder behind
an endpoint finds by meaning alone as well, and its ranking is fused with that by words. Vectors are kept with the name
of their model; after another one was chosen the worker makes them anew, and searches go on meanwhile.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from numpy.typing import NDArray

from memory import locks
from memory.models import SearchDocument, SearchVectors
from memory.search.backends.base import Where
from memory.search.embed import passages
from memory.search.embed.choice import from_environment
from memory.search.embed.types import Embedder, Unavailable
from memory.search.vectors import Vectors, number

BATCH = 200
"""Documents that get their vectors in one transaction."""

PATIENCE = 0.75
"""Seconds that a search waits for the vector of its question; then it is answered by words alone."""
RETRY = 60.0
"""Seconds until an embedder that could not be had is asked again."""

logger = logging.getLogger("memdock.search")


@dataclass(frozen=True, slots=True)
class Progress:
    """How many documents have vectors of the model in use; `reason` says why there are none to be had."""

    model: str
    done: int
    total: int
    reason: str = ""


class _Asker:
    """Embeds questions, and lets no search wait for a model that is still loading or an endpoint that is away."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Ask again what did not answer."""
        self._late: threading.Thread | None = None
        self._silent_until = 0.0

    def ask(self, model: Embedder, question: str) -> NDArray[np.float32] | None:
        """Return the row of a question, or None when that takes too long or is not possible now."""
        late = self._late
        if time.monotonic() < self._silent_until or (late and late.is_alive()):
            return None
        rows: list[NDArray[np.float32]] = []
        thread = threading.Thread(target=self._embed, args=(model, question, rows), daemon=True)
        thread.start()
        thread.join(PATIENCE)
        if thread.is_alive():
            self._late = thread
        return rows[0] if rows else None

    def _embed(self, model: Embedder, question: str, rows: list[NDArray[np.float32]]) -> None:
        try:
            rows.append(model.embed([question])[0])
        except Unavailable as exc:
            logger.warning("Searching by words only for a while: %s", exc)
            self._silent_until = time.monotonic() + RETRY


@dataclass(frozen=True, slots=True)
class Meant:
    """A question's row, and the embedder that made it."""

    model: Embedder
    row: NDArray[np.float32]

    @property
    def is_strong(self) -> bool:
        """Tell whether documents may be found by meaning alone, without any word of the question."""
        return self.model.is_strong

    def best(self, where: Where, *, limit: int) -> dict[int, float]:
        """Return the documents nearest in meaning of those that meet a condition, the nearest first, with cosines."""
        return _vectors(self.model.name, len(self.row)).best(self.row, where, limit=limit)

    def nearest(self, document_ids: Collection[int]) -> dict[int, float]:
        """Return how near documents (or their nearest lines) are, 0 to 1; nothing where that is unknown. One query."""
        if self.is_strong:
            return _vectors(self.model.name, len(self.row)).nearest(self.row, document_ids)
        # Filtered by model here, or SQLite reads all vectors of that model to find those of a few documents.
        rows = SearchVectors.objects.filter(pk__in=document_ids).values_list("pk", "model", "lines")
        kept = {pk: lines for pk, model, lines in rows if model == self.model.name}
        return dict(zip(kept, passages.nearest(self.row, [bytes(lines) for lines in kept.values()]), strict=True))


_asker = _Asker()


@lru_cache(maxsize=1)
def embedder() -> Embedder | None:
    """Return what MEMDOCK_EMBEDDING names, None for none. Raises ImproperlyConfigured."""
    return from_environment(os.environ)


@lru_cache(maxsize=1)
def _vectors(model: str, dimension: int) -> Vectors:
    return Vectors(model, dimension)


def reset() -> None:
    """Ask the environment anew which embedder there is."""
    embedder.cache_clear()
    _vectors.cache_clear()
    _asker.forget()


def fill(*, limit: int = BATCH) -> int:
    """Make vectors for up to `limit` documents that have none of the model in use; return how many got theirs.

    Killed at any moment, it goes on with what is still missing. Raises Unavailable.
    """
    model = embedder()
    if model is None:
        return 0
    rows = list(_missing(model).order_by("-when", "-pk")[:limit])
    packed = passages.pack([_text(row) for row in rows], model)
    vectors = [
        SearchVectors(document=row, model=model.name, dimension=model.dimension, lines=lines)
        for row, lines in zip(rows, packed, strict=True)
    ]
    kept = _keep(rows, vectors)
    locks.give_way()
    return kept


def ask(question: str) -> Meant | None:
    """Return what a question means, None where that is unknown."""
    model = embedder()
    row = _asker.ask(model, question) if model and question.strip() else None
    return Meant(model, row) if model and row is not None else None


def forget(document_ids: Iterable[int]) -> None:
    """Drop the vectors of documents whose text changed; the caller holds the transaction."""
    SearchVectors.objects.filter(document__in=list(document_ids)).delete()


def progress() -> Progress:
    """Tell how far the vectors are. Two queries."""
    total, model = SearchDocument.objects.count(), embedder()
    if model is None:
        return Progress("none", 0, total, "Words only: MEMDOCK_EMBEDDING is none.")
    return Progress(model.name, SearchVectors.objects.filter(model=model.name).count(), total)


def warm() -> None:
    """Load the embedder before somebody waits for it."""
    try:
        if model := embedder():
            model.embed(["warm"])
    except Unavailable as exc:
        logger.warning("Searching by words only: %s", exc)


def _missing(model: Embedder) -> QuerySet[SearchDocument]:
    # Not "pk not in (…)": PostgreSQL stops hashing such a list once it outgrows its memory.
    return SearchDocument.objects.filter(~Exists(SearchVectors.objects.filter(pk=OuterRef("pk"), model=model.name)))


def _text(row: SearchDocument) -> str:
    return f"{row.title}\n{row.text}"


def _keep(rows: list[SearchDocument], vectors: list[SearchVectors]) -> int:
    """Keep vectors of texts that are still the same; what changed meanwhile gets its vectors next time."""
    try:
        with transaction.atomic():
            now = {row.pk: _text(row) for row in SearchDocument.objects.filter(pk__in=[row.pk for row in rows])}
            current = {row.pk for row in rows if now.get(row.pk) == _text(row)}
            kept = [one for one in vectors if one.document_id in current]
            made = number() if kept else 0
            for one in kept:
                one.made = made
            SearchVectors.objects.bulk_create(
                kept,
                update_conflicts=True,
                unique_fields=["document"],
                update_fields=["model", "dimension", "lines", "made"],
            )
            return len(kept)
    except IntegrityError:  # a document went in this moment (PostgreSQL)
        return 0
