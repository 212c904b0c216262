"""Lets a search wait a little for something that may be slow or away, and then go on without it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory.search.backends.milvus.connection import Unreachable
from memory.search.embed.types import Unavailable

logger = logging.getLogger("memdock.search")


@dataclass(slots=True)
class _Call[T]:
    """A call in a thread of its own, and what became of it."""

    work: Callable[[], T]
    result: list[T]
    trouble: str = ""

    def run(self) -> None:
        try:
            self.result.append(self.work())
        except (Unreachable, Unavailable) as exc:
            self.trouble = str(exc)
        except Exception as exc:
            logger.exception("A question to Milvus failed")
            self.trouble = f"{type(exc).__name__}: {exc}"


class Patience:
    """Waits `first` seconds until something has answered once and `later` seconds then.

    After a failure it does not even ask for `retry` seconds, or until a call that took too long has its answer after
    all; it never has more than `most` calls waiting.
    """

    def __init__(self, *, first: float, later: float, retry: float, most: int = 8) -> None:
        self._first, self._later, self._retry = first, later, retry
        self._slots = threading.BoundedSemaphore(most)
        self.forget()

    def forget(self) -> None:
        """Ask again, and wait as for the first time."""
        self._has_answered, self._silent_until, self._trouble = False, 0.0, ""
        self._late: _Call[Any] | None = None

    def call[T](self, work: Callable[[], T]) -> T:
        """Return what the work returns. Raises Unreachable when that takes too long, fails, or did so a moment ago."""
        if time.monotonic() < self._silent_until and not (self._late and self._late.result):
            raise Unreachable(self._trouble)
        if not self._slots.acquire(blocking=False):
            raise Unreachable("Too many searches wait for Milvus.")
        call = _Call[T](work, [])
        thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        thread.start()
        patience = self._later if self._has_answered else self._first
        thread.join(patience)
        if call.result:
            self._has_answered = True
            return call.result[0]
        self._late = None if call.trouble else call
        self._trouble = call.trouble or f"No answer in {patience:g} seconds."
        self._silent_until = time.monotonic() + self._retry
        logger.warning("Searching without Milvus for a while: %s", self._trouble)
        raise Unreachable(self._trouble)

    def _run[T](self, call: _Call[T]) -> None:
        try:
            call.run()
        finally:
            self._slots.release()
