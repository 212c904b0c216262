"""Event loops for tests that are not asynchronous themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run[Result](main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end; in a thread of its own where the loop of a test's browser holds this one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, main).result()
