"""Signals for a waiting loop: it wakes at once when it is asked to stop and when a child ends."""

from __future__ import annotations

import os
import select
import signal
from contextlib import ExitStack
from types import FrameType
from typing import Self

STOP = (signal.SIGINT, signal.SIGTERM)


class Alarm:
    """Counts the requests to stop. Belongs to the main thread."""

    def __init__(self) -> None:
        self.requests = 0
        self._undo = ExitStack()
        self._pipe = -1

    @property
    def is_stopping(self) -> bool:
        return self.requests > 0

    def __enter__(self) -> Self:
        """Take the signals over. A byte in a pipe for each makes `wait` free of races."""
        self._pipe, writing = os.pipe()
        for end in (self._pipe, writing):
            os.set_blocking(end, False)
            self._undo.callback(os.close, end)
        self._undo.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writing))
        for number in STOP:
            self._undo.callback(signal.signal, number, signal.signal(number, self._ask))
        self._undo.callback(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, _notice))
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def wait(self, seconds: float | None) -> None:
        """Sleep until a signal comes or the time is over; None waits for a signal only."""
        select.select([self._pipe], [], [], seconds)
        try:
            os.read(self._pipe, 4096)
        except BlockingIOError:
            pass

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.requests += 1


def _notice(number: int, frame: FrameType | None) -> None:
    """Do nothing; without a handler the pipe would not be written to."""
