"""A model that costs almost nothing: hashed words behind an OpenAI-shaped endpoint, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.servers import free_port

MODEL = "hashed"
DIMENSION = 256


@contextmanager
def serving() -> Iterator[str]:
    """Serve until the block ends; gives the address ending in `/v1`."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", __name__, str(port)], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()  # it listens
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def vector(text: str) -> list[int]:
    counts = Counter(zlib.crc32(word.encode()) % DIMENSION for word in text.lower().split())
    return [counts[place] for place in range(DIMENSION)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: two would wait 40 ms for each other
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [
            {"object": "embedding", "index": place, "embedding": vector(text)}
            for place, text in enumerate(asked["input"])
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = json.dumps({"object": "list", "data": rows, "model": MODEL, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name that http.server has)
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), _Handler)
    print("ready", flush=True)
    server.serve_forever()
