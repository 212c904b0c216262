"""Reads what is to be kept: once, no more than allowed, hashed on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from threading import Event
from typing import IO

from memory.artifacts.errors import ArtifactError, Stopped

LARGEST = 32 * 1024 * 1024
"""Bytes of one artifact. Source: dsh-patchouli's ingestor."""

HEAD = 64 * 1024
"""Bytes of the start, by which the kind of content is told."""

_PIECE = 256 * 1024
_IN_MEMORY = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Staged:
    """Bytes that were read: `file` stands at their start, `digest` is `sha256:<64 hex digits>`."""

    file: IO[bytes]
    digest: str
    length: int
    head: bytes


@contextmanager
def staged(source: IO[bytes], *, stop: Event, limit: int = LARGEST) -> Iterator[Staged]:
    """Read a source to its end, whatever its size was said to be; the copy goes with the block.

    Raises ArtifactError for more than `limit` bytes, and Stopped when the event is set meanwhile.
    """
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        digest, length = hashlib.sha256(), 0
        while piece := source.read(min(_PIECE, limit + 1 - length)):
            length += len(piece)
            check(length, limit=limit)
            if stop.is_set():
                raise Stopped
            digest.update(piece)
            copy.write(piece)
        copy.seek(0)
        head = copy.read(HEAD)
        copy.seek(0)
        yield Staged(copy, f"sha256:{digest.hexdigest()}", length, head)


def check(length: int, *, limit: int = LARGEST) -> None:
    """Raise ArtifactError for a length that is not kept."""
    if length > limit:
        raise ArtifactError(f"it is larger than {limit:,} bytes")
