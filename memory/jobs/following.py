"""Follows the plugins of packages for MemDock's feed, beside the other tasks of the worker."""

from __future__ import annotations

import asyncio
import logging
import threading

from memory import consumers as own
from memory import locks
from memory.consumers.plugin_feed import NAME
from memory.service import consumers
from memory.service.service import service

logger = logging.getLogger("memdock.worker")


def start() -> None:
    """Follow in a thread, with an event loop of its own, until the process ends."""
    threading.Thread(target=_run, name="plugins", daemon=True).start()


def _run() -> None:
    own.load()
    asyncio.run(_relay())


async def _relay() -> None:
    """Run the consumer. Where nothing can be followed any more there is no more to do; the doctor says why."""
    try:
        with consumers.alone(NAME):
            await consumers.run(consumers.registered[NAME], service, stop=asyncio.Event())
    except locks.Taken:
        logger.warning("%s runs in another process with this data directory; it is left to it.", NAME)
    except Exception:
        logger.exception("Changes of other plugins are not carried over any more")
