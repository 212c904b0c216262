"""Delivers what happened in agents' loops to the memory plugins, beside the other tasks of the worker."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

from memory.agent_loop import delivery
from memory.service.service import service

logger = logging.getLogger("memdock.worker")

PAUSE_S = 5.0


def start() -> None:
    """Deliver in a thread, with an event loop of its own, until the process ends; the next one takes up what was left."""
    threading.Thread(target=_repeat, name="agent loops", daemon=True).start()


def _repeat() -> None:
    """What nobody foresaw ends neither the thread nor goes unseen."""
    while True:
        try:
            asyncio.run(delivery.work(service))
        except Exception:
            logger.exception("Updates of agents' loops could not be delivered; they are tried again")
            time.sleep(PAUSE_S)
