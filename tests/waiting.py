"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE = 120.0
"""Seconds; far longer than anything takes, so that only what never happens fails."""


def wait_until[Value](ask: Callable[[], Value]) -> Value:
    """Ask again and again until the answer is true, and return it."""
    deadline = time.monotonic() + DEADLINE
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"this did not happen within {DEADLINE:g} s"
        time.sleep(0.02)
    return answer
