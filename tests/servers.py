"""A real `memdock up`, started and stopped."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from tests.waiting import DEADLINE

READY = re.compile(r"MemDock ready: (\S+)/$")
SIGN_IN = re.compile(r"Sign in: (\S+)$")


@dataclass(frozen=True, slots=True)
class Server:
    """A running MemDock: its address without a slash, and the sign-in link that it printed ("" when it did not)."""

    url: str
    sign_in: str
    process: subprocess.Popen[str]


def free_port() -> int:
    """Return a port of the loopback that nobody listens on.

    It is none of those that the system gives out: a connection that somebody opens meanwhile would take it.
    """
    while True:
        port = random.randrange(15_000, 30_000)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def running(**environment: str) -> Iterator[Server]:
    """Run `memdock up` in this process's data directory until the block ends."""
    command = [sys.executable, "-m", "memsite.cli", "up", "--no-open", "--port", str(free_port())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment)
    try:
        yield _ready(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE)


def children(server: Server) -> dict[str, int]:
    """Return the process ids of the children of `memdock up` by their commands."""
    listed = subprocess.run(
        ["pgrep", "--parent", str(server.process.pid), "--list-full"], capture_output=True, text=True
    )
    rows = (line.split() for line in listed.stdout.splitlines())
    return {name: int(words[0]) for words in rows for name in ("web", "watch", "worker") if name in words}


def _ready(process: subprocess.Popen[str]) -> Server:
    """Read its output up to the ready line and the sign-in link after it."""
    assert process.stdout
    url = sign_in = ""
    for line in process.stdout:
        if found := READY.search(line.strip()):
            url = found[1]
        if found := SIGN_IN.search(line.strip()):
            sign_in = found[1]
        if line.strip() in {"", "Stop with Ctrl-C."} or sign_in:
            break
    if not url:
        raise RuntimeError(f"memdock up ended with {process.wait()} before it was ready")
    return Server(url, sign_in, process)
