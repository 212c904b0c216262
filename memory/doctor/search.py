"""Checks of the search index."""

from __future__ import annotations

from memory.doctor.check import Check, State
from memory.search import index, meaning
from memory.search.backends.milvus import state as milvus
from memory.search.backends.milvus.connection import is_chosen

BEHIND = 1000
"""Changes that the index may lag behind while it is being kept."""


def kept() -> list[Check]:
    """Tell how far the index is behind the feed, and how many documents have vectors. Five queries; Milvus is asked,
    where it is chosen.
    """
    return [_words(), _meaning()]


def drift() -> list[Check]:
    """Compare the index with the rows; reads every row."""
    found = index.drift()
    if not found.missing and not found.left_over:
        return [Check("index-drift", "Index and rows", "ok", "Everything is in the search index.")]
    text = f"{len(found.missing):,} are missing in the search index, {len(found.left_over):,} are left over."
    return [Check("index-drift", "Index and rows", "warn", text, "Run `memdock reindex`, when the worker is through.")]


def _words() -> Check:
    lag = index.lag()
    if 0 <= lag <= BEHIND:
        text = "It is up to date." if not lag else f"{lag:,} changes are to come."
        beside = milvus.state() if is_chosen() else milvus.State("")
        state: State = "warn" if beside.trouble else "ok"
        return Check("search", "Search index", state, f"{text} {beside.text}".strip(), beside.trouble)
    hint = "The worker takes them up; start MemDock with `memdock up`."
    return Check("search", "Search index", "warn", f"It is {max(lag, 0):,} changes behind.", hint)


def _meaning() -> Check:
    progress = meaning.progress()
    if progress.reason:
        return Check("meaning", "Meaning", "ok", progress.reason)
    if progress.done >= progress.total:
        return Check("meaning", "Meaning", "ok", f"{progress.model}, all {progress.total:,} vectors are there.")
    text = f"{progress.model}, {progress.done:,} of {progress.total:,} vectors are made; searches go on meanwhile."
    return Check("meaning", "Meaning", "ok", text)
