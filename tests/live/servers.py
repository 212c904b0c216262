"""A real web server over the test database, in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import connection
from websockets.sync.client import ClientConnection, connect

from tests.live.scenes import PATIENCE_S
from tests.places import ROOT


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens."""

    port: int

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self, path: str, **headers: str) -> ClientConnection:
        """Open a websocket; raises `InvalidStatus` when the handshake is refused."""
        return connect(
            f"ws://127.0.0.1:{self.port}{path}",
            additional_headers=headers,
            compression=None,
            open_timeout=PATIENCE_S,
            max_size=2**20,
        )


@contextmanager
def serving() -> Iterator[Server]:
    """Run Daphne on a free port; connections wait in its queue until it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        descriptor = listener.fileno()
        command = [sys.executable, "-m", "daphne", "--fd", str(descriptor), "memsite.asgi:application"]
        process = subprocess.Popen(command, cwd=ROOT, env=_environment(), pass_fds=[descriptor])
        port: int = listener.getsockname()[1]
    try:
        yield Server(port)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def write(*refs: str) -> None:
    """Append changes in yet another process."""
    command = [sys.executable, "-m", "tests.live.writer", *refs]
    subprocess.run(command, cwd=ROOT, env=_environment(), check=True, timeout=PATIENCE_S)


def _environment() -> dict[str, str]:
    return os.environ | {"MEMDOCK_DATABASE_URL": _database_url()}


def _database_url() -> str:
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["MEMDOCK_DATABASE_URL"])._replace(path=f"/{name}").geturl()
