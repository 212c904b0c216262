"""The lifeline of a child process: a pipe whose end means that its supervisor is gone, however it died."""

from __future__ import annotations

import os
import signal
import threading
import time

GRACE = 10.0
"""Seconds a process has for an orderly end."""

_FLAG = "--lifeline="


def argument(descriptor: int) -> str:
    """Return the argument that hands a pipe's reading end to a child; it comes before the child's command."""
    return f"{_FLAG}{descriptor}"


def take(arguments: list[str]) -> list[str]:
    """Hold the lifeline that the first argument names, if it does; return the other arguments."""
    if not arguments or not arguments[0].startswith(_FLAG):
        return arguments
    descriptor = int(arguments[0].removeprefix(_FLAG))
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - what this process starts in its turn has no part in it
    threading.Thread(target=_hold, args=(descriptor,), name="lifeline", daemon=True).start()
    return arguments[1:]


def _hold(descriptor: int) -> None:
    os.read(descriptor, 1)  # nobody writes: this returns when the last writing end is closed
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)
