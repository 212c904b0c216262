"""`.maintenance-state.json`, which MemSearch's own runner reads and writes too: one entry a platform and task.

Shape: MemSearch 0.4.23. Keys that are not known here are kept, in the file and in an entry.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from memory import descriptors
from memory.descriptors import Missing, Refused
from memory.maintenance import files
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject

FILE = ".maintenance-state.json"
LONGEST_ERROR = 2000

_LARGEST = 1024 * 1024
_ASIDE = f"{FILE}.unreadable"
_OF_A_FAILURE = ("last_failed_at", "failed_input_digest", "last_error")
_LOOKS = 5
_PAUSE = 0.05  # seconds; MemSearch writes the file in place, so that a reader may find half of it


class CannotKeep(Exception):
    """The state cannot be read or written; the message is one sentence."""


def entry(memory_dir: Path, platform: str, task: str) -> JsonObject:
    """Return what is known of a task, {} where nothing is. Raises CannotKeep."""
    with _folder(memory_dir) as folder:
        return fields.record(_load(folder).get(f"{platform}.{task}"))


def succeeded(
    memory_dir: Path, *, platform: str, task: str, digest: str, action: str, output: str, at: datetime
) -> None:
    """Note that a task looked at this input, and what it did. Raises CannotKeep."""
    now = _words(at)
    facts: JsonObject = {
        "last_checked_at": now,
        "last_success_at": now,
        "last_input_digest": digest,
        "last_action": action,
        "output_file": output,
    }
    _update(memory_dir, f"{platform}.{task}", facts, forgets=_OF_A_FAILURE)


def failed(memory_dir: Path, *, platform: str, task: str, digest: str, error: str, output: str, at: datetime) -> None:
    """Note that a task failed on this input; what it last did stays known. Raises CannotKeep."""
    now = _words(at)
    facts: JsonObject = {
        "last_checked_at": now,
        "last_failed_at": now,
        "failed_input_digest": digest,
        "last_action": "error",
        "last_error": error[:LONGEST_ERROR],
        "output_file": output,
    }
    _update(memory_dir, f"{platform}.{task}", facts)


def _update(memory_dir: Path, key: str, facts: JsonObject, *, forgets: tuple[str, ...] = ()) -> None:
    with _folder(memory_dir) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        state = _load(folder, puts_aside=True)
        kept = {name: value for name, value in fields.record(state.get(key)).items() if name not in forgets}
        state[key] = kept | facts
        files.put(folder, FILE, (json.dumps(state, indent=2, sort_keys=True) + "\n").encode())


def _load(folder: int, *, puts_aside: bool = False) -> JsonObject:
    """Return the whole state; a file that stays no JSON object counts as none, as for MemSearch, but is kept aside."""
    for look in range(_LOOKS):
        data = _read(folder)
        if not data:
            return {}
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return found
        if look < _LOOKS - 1:
            time.sleep(_PAUSE)
    if puts_aside:
        os.rename(FILE, _ASIDE, src_dir_fd=folder, dst_dir_fd=folder)
    return {}


def _read(folder: int) -> bytes:
    try:
        file = descriptors.open_part(FILE, folder)
    except Missing:
        return b""
    try:
        facts = descriptors.expect(file, stat.S_IFREG, otherwise=descriptors.FOLDER)
        if facts.st_size > _LARGEST:
            raise CannotKeep(f"{FILE} is larger than 1 MB.")
        return descriptors.read_at(file, _LARGEST, 0)
    finally:
        os.close(file)


@contextmanager
def _folder(memory_dir: Path) -> Iterator[int]:
    try:
        folder = descriptors.open_root(memory_dir)
        try:
            yield folder
        finally:
            os.close(folder)
    except (Missing, Refused) as exc:
        raise CannotKeep(f"{FILE}: {exc}") from exc
    except OSError as exc:
        raise CannotKeep(f"{FILE} cannot be written: {exc.strerror}.") from exc


def _words(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
