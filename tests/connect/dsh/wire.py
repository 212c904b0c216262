"""A server of Engram's wire that answers as a test wants, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

PROJECT = {"project": "harbor", "project_source": "git_root", "project_path": "/w/harbor", "available_projects": []}
CREATED = {"id": "s1", "status": "created"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: JSON, or text as it is; a late one comes when nobody waits any more."""

    status: int = 200
    body: Any = None
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One request; `line` is its method and path."""

    line: str
    query: str
    body: Any
    token: str


USUAL = {
    "GET /project/current": [Reply(body=PROJECT)],
    "GET /sessions/s1": [Reply(404, {"error": "session not found"})],
    "POST /sessions": [Reply(201, CREATED)],
}


@dataclass
class Wire:
    """`replies` by method and path: one after the other, the last one again and again."""

    url: str = ""
    replies: dict[str, list[Reply]] = field(default_factory=lambda: {line: list(rows) for line, rows in USUAL.items()})
    asked: list[Asked] = field(default_factory=list)
    has_ended: threading.Event = field(default_factory=threading.Event)

    def lines(self) -> list[str]:
        return [one.line for one in self.asked]

    def answer(self, line: str) -> Reply:
        rows = self.replies.get(line, [Reply(body={"status": "ok"})])
        return rows.pop(0) if len(rows) > 1 else rows[0]


@contextmanager
def wired() -> Iterator[Wire]:
    """Serve on a free port of this machine while the block runs."""
    wire = Wire()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(wire))
    wire.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield wire
    finally:
        wire.has_ended.set()
        http.shutdown()
        thread.join()
        http.server_close()


def _handler(wire: Wire) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            place = urlsplit(self.path)
            line = f"{self.command} {place.path}"
            token = self.headers.get("Authorization", "")
            wire.asked.append(Asked(line, place.query, json.loads(body) if body else None, token))
            reply = wire.answer(line)
            if reply.is_late:
                wire.has_ended.wait()
            with suppress(OSError):  # who asked may have gone
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write((reply.text or json.dumps(reply.body)).encode())

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
