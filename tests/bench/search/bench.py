"""Runs the systems one after the other and compares their numbers."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.bench import options
from tests.bench.result import Result
from tests.bench.search import job, vectors
from tests.bench.search.job import Job, Numbers
from tests.makers import make_generated_tree

ENTRIES = 20_000
"""Entries over which the systems are compared."""
FASTER, SOONER, QUICKER, SMALLER = 15, 20, 4, 3
"""How many times better than memsearch: a search, a new entry, the whole index, the memory."""

_WHAT = {
    "read": ("files read into rows", "s", 1),
    "words": ("index by words", "s", 1),
    "vectors": ("vectors", "s", 1),
    "build": ("index", "s", 1),
    "appended": ("appended entry → found", "ms", 1000),
    "vector": ("vector of a question from the endpoint, p50", "ms", 1),
    "p50": ("search p50", "ms", 1),
    "p95": ("search p95", "ms", 1),
    "memory": ("memory of a process that searches", "MB", 1),
    "command": ("its command, search", "ms", 1000),
    "command_appended": ("its command, appended entry → found", "ms", 1000),
}
_GOALS: dict[int, dict[str, float]] = {
    20_000: {"words": 25, "appended": 500, "p50": 6, "p95": 15},
    200_000: {"p50": 40, "p95": 80},
}


def run() -> Iterator[Result]:
    """Compare at 20,000 entries, then let MemDock grow to the sizes that were asked for."""
    with tempfile.TemporaryDirectory(prefix="memdock-bench-") as directory, vectors.serving() as endpoint:
        root = Path(directory)
        ours = _measured("ours", ENTRIES, root, endpoint)
        yield from _ours(ours, ENTRIES)
        yield from _told("plain FTS5", _measured("plain", ENTRIES, root, endpoint))
        if options.chosen().with_memsearch and find_spec("memsearch") and find_spec("milvus_lite"):
            theirs = _measured("theirs", ENTRIES, root, endpoint)
            yield from _told("memsearch", theirs)
            yield from _ratios(ours, theirs)
        else:
            print("memsearch is left out (the group milvus is not installed, or --no-memsearch).", file=sys.stderr)
        for size in options.chosen().sizes:
            yield from _ours(_measured("ours", size, root, endpoint), size)


def _measured(system: str, entries: int, root: Path, endpoint: str) -> Numbers:
    place = root / f"{system}-{entries}"
    make_generated_tree(place / "bench", "--size", str(entries))
    work = Job(place / "bench", place, endpoint)
    numbers = job.run(system, "build", work) | job.run(system, "ask", work)
    shutil.rmtree(place)
    return numbers


def _ours(numbers: Numbers, entries: int) -> Iterator[Result]:
    goals = _GOALS.get(entries, {})
    for key, (what, unit, scale) in _WHAT.items():
        if key in numbers:
            yield Result("search", f"{entries:,} entries: {what}", numbers[key] * scale, unit, goals.get(key))


def _told(who: str, numbers: Numbers) -> Iterator[Result]:
    for key, (what, unit, scale) in _WHAT.items():
        if key in numbers:
            yield Result("search", f"{who}: {what}", numbers[key] * scale, unit)


def _ratios(ours: Numbers, theirs: Numbers) -> Iterator[Result]:
    """How many times MemDock is better; here the goal is a number to stay over."""
    words = ours["read"] + ours["words"]
    for what, better, goal in [
        ("search p50, memsearch ÷ ours", theirs["p50"] / ours["p50"], FASTER),
        ("search p95, memsearch ÷ ours", theirs["p95"] / ours["p95"], FASTER),
        ("appended entry, memsearch ÷ ours", theirs["appended"] / ours["appended"], SOONER),
        ("index by words, memsearch ÷ ours", theirs["build"] / words, QUICKER),
        ("index with vectors, memsearch ÷ ours", theirs["build"] / (words + ours["vectors"]), None),
        ("memory, memsearch ÷ ours", theirs["memory"] / ours["memory"], SMALLER),
    ]:
        yield Result("search", what, better, "times", goal, is_floor=True)
