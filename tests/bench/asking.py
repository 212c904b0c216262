"""Clients that ask a server over HTTP and note how long each answer takes, at little cost of their own."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.bench.result import Result, percentile

PATIENCE = 120.0


@dataclass
class Times:
    """Milliseconds of each kind of request, and what failed."""

    asked: dict[str, list[float]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def results(self, bench: str, when: str, goals: dict[int, float]) -> Iterator[Result]:
        """Tell p50, p95 and p99 of each kind, with the goals by percentile, and the number of failures."""
        for kind, times in sorted(self.asked.items()):
            for share in (50, 95, 99):
                what = f"{kind}, {when}, p{share} of {len(times)}"
                yield Result(bench, what, percentile(times, share), "ms", goals.get(share))
        yield Result(bench, f"{when}: requests that failed", len(self.failed), "failures", 1)


class Client:
    """One connection that is kept open."""

    def __init__(self, url: str, times: Times, *, token: str = "") -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
        self._times = times
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})

    def ask(self, kind: str, path: str = "", body: object = None) -> Any:
        """Send a request of a kind such as `GET /search`, whose path may be another one; return the JSON."""
        method, route = kind.split(" ", 1)
        data = None if body is None else json.dumps(body).encode()
        start = time.perf_counter()
        self._connection.request(method, path or route, data, self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        self._times.asked.setdefault(kind, []).append((time.perf_counter() - start) * 1000)
        if answer.status >= 400:
            self._times.failed.append(f"{kind} {answer.status} {text[:200]!r}")
            return {}
        return json.loads(text)

    def close(self) -> None:
        self._connection.close()


def together(count: int, work: Callable[[int], object]) -> None:
    """Let so many clients work at the same time, each by its number, until all are done."""
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work, number) for number in range(count)]:
            done.result()
