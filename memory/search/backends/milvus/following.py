"""Keeps Milvus as the day files are. One process does this: the worker."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection as Sized
from itertools import batched

from django.db import DatabaseError, connection
from django.db.models import Count, Max

from memory.models import Journal, Project
from memory.search import meaning
from memory.search.backends.milvus import journals
from memory.search.backends.milvus.chunks import Chunk
from memory.search.backends.milvus.collections import Collection, Mismatch
from memory.search.backends.milvus.connection import Unreachable, opened
from memory.search.backends.milvus.journals import Home
from memory.search.embed.types import Embedder, Unavailable

RETRY = 60.0
"""Seconds until Milvus or an embedder that could not be had is asked again."""
FULL = 3600.0
"""Seconds until a collection is compared anew, id by id: MemSearch writes into it as well, or drops it."""

_BATCH = 256
logger = logging.getLogger("memdock.worker")


def model_of(embedder: Embedder) -> str:
    """Return the model's name as MemSearch writes it into ids."""
    return embedder.name.removeprefix("openai:")


class Follower:
    """Remembers what it wrote, so that only what changed is read and embedded."""

    def __init__(self) -> None:
        self._seen: object = None
        self._looked = 0.0
        self._done: dict[Home, dict[str, str]] = {}
        self._refused: set[Home] = set()

    def follow(self) -> int:
        """Bring each collection to what the files say; return how many chunks were embedded.

        New chunks are written before old ones are removed: a crash leaves too much, which the next look removes.
        Raises Unreachable and Unavailable; what was done until then stays done.
        """
        embedder = meaning.embedder()
        stamp = _stamp()
        is_full = not self._looked or time.monotonic() - self._looked > FULL
        if embedder is None or (stamp == self._seen and not is_full):
            return 0
        if is_full:
            self._done, self._refused = {}, set()
        written = sum(self._project(place, hashes, embedder) for place, hashes in journals.versions())
        self._seen, self._looked = stamp, time.monotonic() if is_full else self._looked
        return written

    def _project(self, place: Home, hashes: dict[str, str], embedder: Embedder) -> int:
        done = self._done.get(place)
        changed = [source for source, kept in hashes.items() if done is None or done.get(source) != kept]
        gone = set(done or ()) - hashes.keys()
        if place in self._refused or not (changed or gone or done is None):
            return 0
        if done is None and not changed and not _holds(place):
            return 0
        try:
            return self._bring(place, hashes, changed, gone, embedder)
        except Mismatch as exc:
            logger.warning("%s is searched by words only: %s", place.project, exc)
            self._refused.add(place)
            return 0

    def _bring(
        self, place: Home, hashes: dict[str, str], changed: list[str], gone: set[str], embedder: Embedder
    ) -> int:
        known = _look(place, changed, embedder, is_first=place not in self._done)
        done = self._done.setdefault(place, {})
        written = 0
        for source in changed:
            chunks = journals.read(place, source)
            if chunks is None:
                continue
            written += _replace(place, chunks, known.get(source, set()), embedder)
            done[source] = hashes[source]
        for source in {*gone, *(known.keys() - hashes.keys())}:
            if place.owns(source) and journals.is_gone(place, source):
                _remove(place, source)
            done.pop(source, None)
        return written


_follower = Follower()
_silent_until = 0.0


def share() -> int:
    """Bring Milvus up to date; return how many chunks were embedded. What cannot be done now is tried again later."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return 0
    try:
        return _follower.follow()
    except (Unreachable, Unavailable) as exc:
        logger.warning("Milvus is not brought up to date for now: %s", exc)
        _silent_until = time.monotonic() + RETRY
    except DatabaseError as exc:
        logger.warning("Milvus waits: %s", exc)
        connection.close()
    return 0


def _stamp() -> object:
    rows = Journal.objects.aggregate(newest=Max("updated_at"), number=Count("pk"), last=Max("pk"))
    return rows, tuple(Project.objects.order_by("pk").values_list("pk", "root", "memory_dir"))


def _holds(place: Home) -> bool:
    with opened() as client:
        return Collection(client, place.collection).exists()


def _look(place: Home, changed: list[str], embedder: Embedder, *, is_first: bool) -> dict[str, set[str]]:
    """Return the ids that Milvus has, by source: all at first, later those of what changed."""
    dimension = embedder.dimension
    with opened() as client:
        collection = Collection(client, place.collection)
        collection.ready(dimension, about=f"{place.project} | {embedder.name.replace(':', '/', 1)}")
        return collection.ids() if is_first else {source: collection.ids_of(source) for source in changed}


def _replace(place: Home, chunks: list[Chunk], known: Sized[str], embedder: Embedder) -> int:
    """Write a file's new chunks and remove its old ones; return how many were new."""
    model = model_of(embedder)
    wanted = {chunk.id(model): chunk for chunk in chunks}
    new = [chunk for key, chunk in wanted.items() if key not in known]
    for part in batched(new, _BATCH):
        vectors = embedder.embed([chunk.said for chunk in part])  # Milvus Lite is not held meanwhile
        with opened() as client:
            Collection(client, place.collection).put(part, vectors, model=model)
    if old := set(known) - wanted.keys():
        with opened() as client:
            collection = Collection(client, place.collection)
            collection.load()
            collection.remove(old)
    return len(new)


def _remove(place: Home, source: str) -> None:
    with opened() as client:
        collection = Collection(client, place.collection)
        collection.load()
        collection.remove(collection.ids_of(source))
