"""A model as upkeep meets it: a small OpenAI-shaped server, or a `claude` on PATH."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

type Answer = Callable[[str], str]
"""What the model says to what it is shown."""


@dataclass
class Model:
    """A running server; `answer` may be exchanged at any time, `asked` is what it was sent."""

    url: str = ""
    answer: Answer = lambda shown: none()
    asked: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200

    def says(self, text: str) -> None:
        self.answer = lambda shown: text

    @property
    def shown(self) -> str:
        """The material of the last question."""
        return str(self.asked[-1]["messages"][1]["content"])


def none(reason: str = "Nothing that lasts.") -> str:
    return json.dumps({"action": "none", "reason": reason})


def replace(content: str, reason: str = "A decision.") -> str:
    return json.dumps({"action": "replace", "reason": reason, "content": content})


def skills(*found: dict[str, Any]) -> str:
    return json.dumps({"skills": list(found)})


def skill(name: str = "run-tests", body: str = "1. Run `pytest`.", **over: Any) -> dict[str, Any]:
    facts = {
        "name": name,
        "description": "Run the tests.",
        "body": body,
        "occurrences": 3,
        "sources": ["2026-01-05.md"],
    }
    return facts | {"reason": "Seen thrice."} | over


@contextmanager
def serving() -> Iterator[Model]:
    """Serve a model while the block lasts."""
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append(body)
            said = {"choices": [{"message": {"content": model.answer(body["messages"][1]["content"])}}]}
            answer = json.dumps(said | {"usage": {"prompt_tokens": 1200, "completion_tokens": 34}}).encode()
            self.send_response(model.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def install_claude(folder: Path, said: str) -> None:
    """Put a `claude` into a folder that says this, and keeps what it was told and shown beside itself."""
    answer = {
        "is_error": False,
        "result": said,
        "total_cost_usd": 0.0125,
        "usage": {"input_tokens": 9, "output_tokens": 2},
    }
    folder.mkdir(exist_ok=True)
    (folder / "answer.json").write_text(json.dumps(answer))
    program = folder / "claude"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {folder}/arguments\ncat > {folder}/shown\nenv > {folder}/env\n'
        f"cat {folder}/answer.json\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
