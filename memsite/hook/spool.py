"""The spool: what was handed over and not yet delivered, a file each."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from memsite.hook.given import Json
from memsite.hook.places import data_dir
from memsite.hook.server import call

FOLDER = "spool"
REFUSED = "spool-refused"

_DELIVERED_AT_ONCE = 20
_UNCLEAR = 400
"""Not taken, now and later; whether for what it says, or for a Host or a proxy, is not known."""
_NEVER_TAKEN = {413, 422}


def keep(document: Json) -> OSError | None:
    """Write the document to the spool, whole or not at all, for its owner's eyes only; return what prevented it."""
    try:
        folder = data_dir() / FOLDER
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns():020d}-{os.getpid()}"
        draft = folder / f".{name}.tmp"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(document, file)
        draft.replace(folder / f"{name}.json")
    except OSError as exc:
        return exc
    return None


def deliver(seconds: float) -> None:
    """Hand over what is in the spool, the oldest first; what is not taken now is taken by the worker, or next time.

    What the server says that it never takes is laid aside, as the worker does, so that it holds nobody up.
    """
    until = time.monotonic() + seconds
    for path in sorted((data_dir() / FOLDER).glob("*.json"))[:_DELIVERED_AT_ONCE]:
        try:
            document = json.loads(path.read_bytes())
        except (OSError, ValueError):  # the worker was here first, or it will see
            continue
        status, _ = call("POST", "/api/v1/events", document, until - time.monotonic())
        if 200 <= status < 300:
            path.unlink(missing_ok=True)
        elif status in _NEVER_TAKEN:
            _lay_aside(path)
        elif status != _UNCLEAR:
            return


def _lay_aside(path: Path) -> None:
    """Put a document where a person, and `memdock doctor`, find it."""
    refused = path.parent.parent / REFUSED
    with suppress(OSError):  # the worker was here first
        refused.mkdir(mode=0o700, exist_ok=True)
        path.replace(refused / path.name)
