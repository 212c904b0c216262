"""A model on this machine that always gives the same answer, in the streams that Claude Code and Codex read."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

type Event = dict[str, Any]


@dataclass
class Model:
    """`asked` are the bodies of all requests so far."""

    answer: str
    url: str = ""
    asked: list[Any] = field(default_factory=list)

    def was_told(self, text: str) -> bool:
        """Tell whether a text was in any request."""
        return json.dumps(text)[1:-1] in json.dumps(self.asked)

    def stream(self, path: str) -> list[Event]:
        """Return the events of an answer, for the address that was asked."""
        if path.endswith("/v1/messages"):
            return _messages(self.answer)
        return _responses(self.answer) if path.endswith("/v1/responses") else []


@contextmanager
def answering(answer: str) -> Iterator[Model]:
    """Answer everybody who asks, on a free port of this machine, while the block runs."""
    model = Model(answer)
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    model.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def _messages(answer: str) -> list[Event]:
    """Anthropic's Messages API, streamed."""
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "stub", "content": [], "usage": usage}
    return [
        {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": answer}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(answer: str) -> list[Event]:
    """OpenAI's Responses API, streamed."""
    content = [{"type": "output_text", "text": answer, "annotations": []}]
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11}
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "output": [item], "usage": usage}},
    ]


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            events = model.stream(self.path.partition("?")[0])
            self.send_response(200 if events else 404)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            if events:
                model.asked.append(json.loads(body))
            for event in events:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_arguments: object) -> None:
            pass

    return Handler
