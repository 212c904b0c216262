"""Calls of the memory service from code that waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor


def run[Result](work: Coroutine[object, object, Result]) -> Result:
    """Return what a call of the service returns, which has a thread and an event loop of its own.

    So a plugin that blocks holds up nobody else; and one that uses `sync_to_async` is not sent to the very thread that
    waits here, as it would be from within a request.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="agent loop") as pool:
        return pool.submit(asyncio.run, work).result()
