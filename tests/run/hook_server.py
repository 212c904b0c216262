"""A server that hooks speak to: it remembers what it was asked, and answers as a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class HookServer:
    """`asked` are method, path and body of each request; `recall` and `inbox` are what is told.

    Requests wait until `may_answer` is set, as it is at the start. `events_status` answers deliveries.
    """

    url: str = ""
    recall: str = ""
    inbox: list[dict[str, Any]] = field(default_factory=list)
    events_status: int = 202
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def paths(self) -> list[str]:
        return [path.partition("?")[0].removeprefix("/api/v1") for _, path, _ in self.asked]

    def answer(self, path: str) -> tuple[int, Any]:
        if "/recall" in path:
            return 200, {"text": self.recall, "hits": []}
        if path.startswith("/api/v1/agent-inbox?"):
            return 200, {"items": self.inbox}
        return (self.events_status if path.endswith("/events") else 200), {}


@contextmanager
def serving() -> Iterator[HookServer]:
    """Serve on a free port of this machine while the block runs."""
    server = HookServer()
    server.may_answer.set()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.may_answer.set()
        http.shutdown()
        thread.join()
        http.server_close()


def _handler(server: HookServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.asked.append((self.command, self.path, json.loads(body) if body else None))
            server.tokens.append(self.headers.get("Authorization", ""))
            server.may_answer.wait()
            status, data = server.answer(self.path)
            with suppress(OSError):  # a hook does not wait for long
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(data).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
