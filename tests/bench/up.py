"""From `memdock up` on an existing database to the ready line."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench.result import Result, percentile
from tests.servers import running

ROUNDS = 5


def run() -> Iterator[Result]:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        with running():
            times.append(time.perf_counter() - start)
    yield Result("up", f"memdock up → ready, p50 of {ROUNDS}", percentile(times, 50), "s", 2.5)
    yield Result("up", "slowest", max(times), "s")
