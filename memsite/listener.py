"""The listening socket, and whether a server answers on it."""

from __future__ import annotations

import errno
import http.client
import os
import select
import socket

from memory import addresses
from memsite.failure import Failure

_BACKLOG = 1024
_PATIENCE = 10.0


def listen(host: str, port: int) -> socket.socket:
    """Bind and listen. Raises Failure with the port's number when it is taken or may not be had."""
    bare = host.strip("[]")
    try:
        family, _, _, _, address = socket.getaddrinfo(bare, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as exc:
        raise Failure(_reason(exc, host, port)) from exc
    listening.setblocking(False)  # noqa: FBT003
    return listening


class Question:
    """One GET /health; until the server has started it waits in the listening socket."""

    def __init__(self, host: str, port: int) -> None:
        self._connection = http.client.HTTPConnection(addresses.reachable(host), port, timeout=_PATIENCE)

    def is_answered(self, *, within: float) -> bool:
        """Tell whether the answer came, and was a good one, within so many seconds; what failed is asked again."""
        try:
            if self._connection.sock is None:
                # What a proxy would say, in case http is redirected; Host is one that is always allowed.
                self._connection.request("GET", "/health", headers={"Host": "localhost", "X-Forwarded-Proto": "https"})
            if not select.select([self._connection.sock], [], [], within)[0]:
                return False
            is_good = self._connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            is_good = False
        self._connection.close()
        return is_good


def _reason(exc: OSError, host: str, port: int) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use already; choose another one with --port or MEMDOCK_PORT."
    text = exc.strerror if isinstance(exc, socket.gaierror) else os.strerror(exc.errno or 0)
    return f"MemDock cannot listen on {host}, port {port}: {text}."
