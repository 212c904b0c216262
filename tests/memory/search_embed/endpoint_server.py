"""A small endpoint that speaks OpenAI's embeddings: a real HTTP server whose vectors are hashed words."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 32


@dataclass
class Endpoint:
    """What the server was asked, and the answers (status, headers, body) that it gives before the ordinary ones.

    `wait` is called with each request before it is answered. `same` are words that mean to the server what another does.
    """

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    first: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    wait: Callable[[dict[str, Any]], object] = lambda _: None
    same: dict[str, str] = field(default_factory=dict)


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Serve on a free port of this machine while the block runs."""
    endpoint = Endpoint()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint))
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def vector(text: str) -> list[float]:
    """Return the counts of the text's words, each in the place that its hash names."""
    counts = [0.0] * DIMENSION
    for word in text.lower().split():
        counts[hashlib.sha256(word.encode()).digest()[0] % DIMENSION] += 1
    return counts


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.requests.append({**asked, "path": self.path})
            endpoint.keys.append(self.headers.get("Authorization", ""))
            endpoint.wait(asked)
            if endpoint.first:
                self._answer(*endpoint.first.pop(0))
                return
            texts = [
                " ".join(endpoint.same.get(word, word) for word in text.lower().split()) for text in asked["input"]
            ]
            rows = [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
            with suppress(ConnectionError):  # who asked may have been killed
                self._answer(200, {}, json.dumps({"object": "list", "data": rows[::-1]}).encode())

        def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name that http.server has)
            pass

    return Handler
