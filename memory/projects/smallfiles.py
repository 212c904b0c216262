"""Reads small text files that anybody may have put there: never a pipe, never more than the limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memory import descriptors
from memory.descriptors import Missing, Refused

_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # O_NONBLOCK: a FIFO without a writer must not hold us


def read(path: Path, *, limit: int) -> str | None:
    """Return the text of a file of at most `limit` bytes, without a BOM, or None where there is none.

    Raises Refused for anything else: a folder, a special file, a longer one, bytes that are not UTF-8, no permission.
    """
    try:
        with descriptors.spoken():
            file = os.open(path, _OPEN)
    except Missing:
        return None
    except ValueError as exc:  # a NUL in the path
        raise Refused(descriptors.UNREADABLE) from exc
    try:
        return _text(file, limit)
    finally:
        os.close(file)


def _text(file: int, limit: int) -> str:
    descriptors.expect(file, stat.S_IFREG, otherwise=descriptors.FOLDER)
    data = descriptors.read_at(file, limit + 1, 0)
    if len(data) > limit:
        raise Refused(f"This has more than {limit:,} bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise Refused("This is not UTF-8 text.") from exc
