"""Lets a command end with everything findable that it wrote, also when no server runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import DatabaseError

from memory.search import index

LARGE = 1000
"""Changes whose indexing takes long enough to be announced."""


def follow(say: Callable[[str], None]) -> None:
    """Bring the search index up to date, and say so where that takes a while. A busy database is no failure."""
    started, coming = time.monotonic(), index.lag()
    if coming > LARGE:
        say(f"Indexing {coming:,} changes for the search …")
    try:
        index.follow()
    except DatabaseError as exc:
        say(f"The search finds this a little later: {' '.join(str(exc).split())}.")
        return
    if coming > LARGE:
        say(f"Indexed in {time.monotonic() - started:.1f} s.")
