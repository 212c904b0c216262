"""Takes up for the search index what nobody else did: large trees, and what a crash left behind.

Words and vectors each have their own thread: an embedder that takes minutes to answer keeps no word from being found.
"""

from __future__ import annotations

import logging
import time

from memory.jobs import repeating
from memory.search import index, meaning
from memory.search.backends.milvus import following
from memory.search.backends.milvus.connection import is_chosen
from memory.search.embed.types import Unavailable

logger = logging.getLogger("memdock.worker")

EVERY = 2.0
"""Seconds between two looks at the feed when nobody commits anything; each is two small queries."""
REST = 0.2
"""Seconds between two looks when many do: each holds the lock for which they wait."""
_silent_until = 0.0


def start() -> None:
    """Follow the change feed and make vectors, each in a thread, until the process ends."""
    works = (step, understand, following.share) if is_chosen() else (step, understand)
    for work in works:
        repeating.start(work, name=f"index-{work.__name__}", what="The search index", every=EVERY, rest=REST)


def understand() -> int:
    """Make the next batch of vectors; return how many. What cannot be embedded now is tried again later."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return 0
    try:
        return meaning.fill()
    except Unavailable as exc:
        logger.warning("No vectors are made for now: %s", exc)
        _silent_until = time.monotonic() + meaning.RETRY
    return 0


def step() -> int:
    """Take up all changes that are there; return how many."""
    return index.follow()
