"""Asks Milvus a question: MemSearch's hybrid search, over the collections of all projects that are meant."""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from memory.search import meaning
from memory.search.backends.milvus.collections import Collection, Row
from memory.search.backends.milvus.connection import Unreachable, is_chosen, is_made, opened
from memory.search.backends.milvus.journals import Home
from memory.search.backends.milvus.patience import Patience
from memory.search.embed.types import Embedder

LIMIT = 20
"""Chunks that each of the two rankings gives."""
RRF = 60
"""The constant of reciprocal rank fusion; MemSearch's."""

_KNOWN = 10.0
"""Seconds for which a collection is taken to be as it was."""

logger = logging.getLogger("memdock.search")
patience = Patience(first=4, later=1.5, retry=30)


@dataclass(frozen=True, slots=True)
class Holding:
    """What Milvus has of one project: `chunks` is 0 where there is no collection yet, and `fits` tells whether its
    vectors are as long as those of the model in use.
    """

    project: str
    chunks: int = 0
    fits: bool = True


class _Known:
    """Which collections there are, and the length of their vectors; asked for once in a while."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._dimensions: dict[str, tuple[int, float]] = {}

    def fits(self, collection: Collection, dimension: int) -> bool:
        """Tell whether a collection exists and can be asked with vectors of this length."""
        kept, until = self._dimensions.get(collection.name, (0, 0.0))
        if time.monotonic() > until:
            kept = collection.dimension() if collection.exists() else 0
            self._dimensions[collection.name] = (kept, time.monotonic() + _KNOWN)
        return kept == dimension


_known = _Known()


def forget() -> None:
    """Ask again what did not answer, and know no collection any more."""
    patience.forget()
    _known.forget()


def ask(text: str, places: Sequence[Home]) -> list[Row]:
    """Return the best chunks of the places' collections, the best first, by words and meaning as MemSearch fuses them.

    Raises Unreachable, at the latest after some seconds.
    """
    model = meaning.embedder()
    if model is None or not places or not is_made():
        return []
    return patience.call(partial(_ask, text, places, model))


def warm() -> None:
    """Load the client, which takes seconds, and connect, before somebody waits for it."""
    if is_chosen() and is_made():
        try:
            with opened() as client:
                client.list_collections()
        except Unreachable as exc:
            logger.warning("Searching without Milvus: %s", exc)


def holdings(places: Sequence[Home]) -> list[Holding]:
    """Tell what Milvus has of each place. Raises Unreachable, also while Milvus is not asked after a failure."""
    model = meaning.embedder()
    return patience.call(partial(_holdings, places, model)) if model and is_made() else []


def fused[T: Hashable](rankings: Iterable[Sequence[T]]) -> list[T]:
    """Fuse rankings of ids by reciprocal rank; what is equal keeps the order of the first ranking that has it."""
    scores: dict[T, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1 / (RRF + place)
    return sorted(scores, key=lambda key: -scores[key])


def _ask(text: str, places: Sequence[Home], model: Embedder) -> list[Row]:
    vector = model.embed([text])[0]
    near, worded = list[Row](), list[Row]()
    with opened() as client:
        for place in places:
            collection = Collection(client, place.collection)
            if not _known.fits(collection, len(vector)):
                continue
            collection.load()
            if collection.count():  # BM25 fails where there is nothing
                near += collection.near(vector.tolist(), limit=LIMIT)
                worded += collection.worded(text, limit=LIMIT)
    rows = {row.id: row for row in (*near, *worded)}
    return [rows[key] for key in fused([_ids(near), _ids(worded)])]


def _ids(rows: list[Row]) -> list[str]:
    return [row.id for row in sorted(rows, key=lambda row: -row.score)[:LIMIT]]


def _holdings(places: Sequence[Home], model: Embedder) -> list[Holding]:
    dimension = model.dimension
    with opened() as client:
        return [_holding(Collection(client, place.collection), place.project, dimension) for place in places]


def _holding(collection: Collection, project: str, dimension: int) -> Holding:
    if not collection.exists():
        return Holding(project)
    collection.load()
    return Holding(project, collection.count(), collection.dimension() == dimension)
