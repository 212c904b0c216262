"""Keeps MemDock's processes running: starts them, starts them again when they crash, stops them together."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Self

from memsite import lifeline
from memsite.alarm import Alarm
from memsite.backoff import Backoff

logger = logging.getLogger("memdock.up")


@dataclass(slots=True)
class Child:
    """One process and what to do when it ends; `due_at` is set while it waits to be started again."""

    name: str
    command: list[str]
    descriptors: tuple[int, ...]
    process: subprocess.Popen[bytes]
    started_at: float
    due_at: float | None = None
    backoff: Backoff = field(default_factory=Backoff)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None


class Supervisor:
    """Runs commands of MemDock as children, which end when this process does, even when it is killed."""

    def __init__(self, alarm: Alarm) -> None:
        self._alarm = alarm
        self._children: list[Child] = []
        self._line = (-1, -1)

    def __enter__(self) -> Self:
        self._line = os.pipe()  # only the children read, nobody writes, and this process alone holds the other end
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        for end in self._line:
            os.close(end)

    def start(self, name: str, *arguments: str, descriptors: tuple[int, ...] = ()) -> Child:
        """Start `memdock NAME ARGUMENTS`, which inherits these descriptors."""
        reading = self._line[0]
        command = [*memdock(), lifeline.argument(reading), name, *arguments]
        inherited = (reading, *descriptors)
        child = Child(name, command, inherited, _spawn(command, inherited), time.monotonic())
        self._children.append(child)
        return child

    def keep(self) -> None:
        """Start again what crashes, until a signal asks to stop."""
        while not self._alarm.is_stopping:
            for child in self._children:
                self._look_after(child)
            self._alarm.wait(self._pause())

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.due_at is None and not child.is_running:
            pause = child.backoff.after(now - child.started_at)
            child.due_at = now + pause
            logger.warning("%s %s; starting it again in %g s", child.name, _end(child.process.returncode), pause)
        if child.due_at is not None and child.due_at <= now:
            child.process = _spawn(child.command, child.descriptors)
            child.started_at, child.due_at = time.monotonic(), None

    def _pause(self) -> float | None:
        due = [child.due_at for child in self._children if child.due_at is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _stop(self) -> None:
        """Ask all to end; kill what is left after a while, or at once when somebody asks a second time."""
        for child in self._running():
            child.process.terminate()
        deadline, asked = time.monotonic() + lifeline.GRACE, max(1, self._alarm.requests)
        while self._running() and time.monotonic() < deadline and self._alarm.requests <= asked:
            self._alarm.wait(max(0.0, deadline - time.monotonic()))
        for child in self._running():
            os.killpg(child.process.pid, signal.SIGKILL)
            child.process.wait()

    def _running(self) -> list[Child]:
        return [child for child in self._children if child.is_running]


def memdock() -> list[str]:
    """Return the command by which this process was started, without its arguments: a checkout starts itself."""
    own = len(sys.orig_argv) - len(sys.argv[1:])
    return [sys.executable, *sys.orig_argv[1:own]]


def _spawn(command: list[str], descriptors: tuple[int, ...]) -> subprocess.Popen[bytes]:
    # A session of its own: the terminal's Ctrl+C reaches the supervisor alone, which then stops all in order.
    return subprocess.Popen(  # noqa: S603 - our own command
        command, pass_fds=descriptors, stdin=subprocess.DEVNULL, start_new_session=True
    )


def _end(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
