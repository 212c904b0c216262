"""What an agent hands over: JSON on standard input, or as an argument."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from contextlib import suppress
from typing import Any

LONGEST_STDIN_SECONDS = 10.0

type Json = dict[str, Any]


def notified(rest: list[str]) -> Json:
    """Codex hands its event over as the last argument; what the person had there before is run first."""
    *options, payload = rest or [""]
    if options[:1] == ["--then"] and options[1:]:
        import subprocess

        with suppress(OSError):
            subprocess.Popen(  # noqa: S603 - the person's own command, as their configuration had it
                [*options[1:], payload], stdin=subprocess.DEVNULL, start_new_session=True
            )
    return parsed(payload)


def read_object(seconds: float) -> Json:
    """Read until one whole JSON value is there, the input ends, or nothing came for a while: some shells never close it.

    What comes slowly on a busy machine is waited for, up to LONGEST_STDIN_SECONDS in all.
    """
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pieces,), daemon=True).start()
    data, until = bytearray(), time.monotonic() + LONGEST_STDIN_SECONDS
    while (left := until - time.monotonic()) > 0:
        try:
            piece = pieces.get(timeout=min(seconds, left))
        except queue.Empty:
            break
        data += piece
        if not piece:
            break
        is_pause = pieces.empty()  # while more is there already, an end is not looked for: each look reads it all
        if is_pause and piece.rstrip().endswith(b"}") and (found := parsed(data.decode("utf-8-sig", "replace"))):
            return found
    return parsed(data.decode("utf-8-sig", "replace"))


def _read(pieces: queue.SimpleQueue[bytes]) -> None:
    """Put what comes in into a queue, an empty piece at the end: waiting for a pipe with a limit works on no Windows."""
    piece = b"more"
    while piece:
        try:
            piece = os.read(0, 1 << 16)
        except OSError:
            piece = b""
        pieces.put(piece)


def parsed(text: str) -> Json:
    """Return the JSON object of a text, an empty one where there is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
