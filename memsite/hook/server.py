"""Asks MemDock's server, and does not wait for long."""

from __future__ import annotations

import json
import os
from urllib.parse import urlsplit

from memsite.hook.given import Json, parsed
from memsite.hook.places import data_dir

WAIT_SECONDS = 0.3
"""How long an answer is waited for, unless MEMDOCK_HOOK_WAIT says so: a MemDock that is far away takes longer."""
LONGEST_WAIT_SECONDS = 30.0
RECALL_WAITS = 4
"""Recall may take so many times longer than anything else."""
TOKEN_FILE = "hook-token"  # noqa: S105 - a name

_LARGEST_ANSWER = 1 << 20


def wait_seconds() -> float:
    """Return how long anything but recall is waited for."""
    try:
        given = float(os.environ.get("MEMDOCK_HOOK_WAIT") or WAIT_SECONDS)
    except ValueError:
        return WAIT_SECONDS
    return min(given, LONGEST_WAIT_SECONDS) if given > 0 else WAIT_SECONDS  # "nan" is no time either


def call(method: str, path: str, body: Json | None, seconds: float) -> tuple[int, Json]:
    """Return status and JSON of an answer; 0 where there is none. No proxy stands before one's own memory."""
    from http import client

    base = urlsplit(os.environ.get("MEMDOCK_URL") or f"http://127.0.0.1:{os.environ.get('MEMDOCK_PORT') or 7437}")
    kind = client.HTTPSConnection if base.scheme == "https" else client.HTTPConnection
    headers = {"Authorization": f"Bearer {_token()}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    if seconds <= 0:
        return 0, {}
    try:
        connection = kind(base.hostname or "", base.port, timeout=seconds)
        try:
            connection.request(method, base.path.rstrip("/") + path, data, headers)
            answer = connection.getresponse()
            found = parsed(answer.read(_LARGEST_ANSWER).decode("utf-8", "replace"))
        finally:
            connection.close()
    except (OSError, ValueError, client.HTTPException):
        return 0, {}
    return answer.status, found if 200 <= answer.status < 300 else {}


def _token() -> str:
    if given := os.environ.get("MEMDOCK_TOKEN"):
        return given
    try:
        return (data_dir() / TOKEN_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
