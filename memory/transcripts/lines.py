"""Lines of files that grow while they are read, compressed or not, one at a time and never longer than allowed."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, BinaryIO, Protocol, cast

import zstandard

from memory.disk import Tree
from memory.transcripts.conversation import JsonObject
from memory.transcripts.limits import MIB, Limits

ZSTD = b"\x28\xb5\x2f\xfd"

_CHUNK = 256 * 1024
_WINDOW = 64 * MIB
"""The largest window a frame may ask for; DSH uses up to 8 MiB."""

_START = re.compile(r'\{"(?:type|parentUuid|timestamp|id|seq0?|ordinal)":')
_GLUED = MIB
_ATTEMPTS = 50


@dataclass(slots=True)
class Tally:
    """What went wrong while lines were read, and whether any line was of the kind that the agent writes."""

    skipped: int = 0
    is_recognized: bool = False
    notes: list[str] = field(default_factory=list)

    def sentences(self) -> tuple[str, ...]:
        if not self.skipped:
            return tuple(self.notes)
        lines = "One line" if self.skipped == 1 else f"{self.skipped:,} lines"
        return (f"{lines} could not be read.", *self.notes)


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Bounded(io.RawIOBase):
    """A file as long as it was when it was opened."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = os.fstat(file.fileno()).st_size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def objects(tree: Tree, path: str, limits: Limits, tally: Tally, *, skip: bytes = b"") -> Iterator[JsonObject]:
    """Yield the JSON objects of a file of lines, plain or compressed as its first bytes say.

    A last line without its end is not there yet. Lines that begin with something matching `skip` are passed over
    unread. Raises `disk.Missing` and `disk.Refused`.
    """
    with tree.open(path) as file:
        is_compressed = file.read(len(ZSTD)) == ZSTD
        file.seek(0)
        bounded = _Bounded(file)
        lines = split(_unpacked(bounded, tally) if is_compressed else _chunks(bounded), limits, tally)
        pattern = re.compile(skip) if skip else None
        for line in lines:
            if (pattern is None or not pattern.match(line)) and (found := parsed(line, tally)) is not None:
                yield found


def split(chunks: Iterable[bytes], limits: Limits, tally: Tally) -> Iterator[bytes]:
    """Cut a stream at each `\\n`, and nowhere else: U+2028 and its like stand unescaped in JSON."""
    held: list[bytes] = []
    size = total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limits.decoded:
            tally.notes.append("The file is larger than MemDock reads; its end is missing here.")
            return
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if size + len(end) > limits.line:
                tally.skipped += 1
            else:
                yield b"".join([*held, end])
            held, size = [], 0
        size += len(rest)
        held = [*held, rest] if size <= limits.line else []


def parsed(line: bytes, tally: Tally) -> JsonObject | None:
    """Read one line; None, and counted, when it is not a JSON object."""
    words = line.decode("utf-8", "replace").strip()
    if not words:
        return None
    found = _loaded(words)
    if found is None and len(words) <= _GLUED:
        found = _glued(words)
    if found is None:
        tally.skipped += 1
    return found


def unpacked(data: bytes, limit: int) -> bytes:
    """Unpack one frame that is in memory, to at most `limit` bytes; raise `ValueError` where that cannot be."""
    try:
        with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(data) as reader:
            return reader.read(limit)
    except zstandard.ZstdError as error:
        raise ValueError("not a zstd frame") from error


def _chunks(stream: Stream) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _unpacked(stream: io.RawIOBase, tally: Tally) -> Iterator[bytes]:
    """Unpack frame after frame. What a torn or damaged frame gives before it breaks is kept."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    reader = decompressor.stream_reader(cast("IO[bytes]", stream), read_across_frames=True)
    try:
        while chunk := reader.read1(_CHUNK):  # what is unpacked already must not wait for what may be damaged
            yield chunk
    except zstandard.ZstdError:
        tally.notes.append("The compressed file is damaged; what follows the damage is missing here.")


def _loaded(words: str) -> JsonObject | None:
    try:
        value = json.loads(words)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _glued(words: str) -> JsonObject | None:
    """Find a whole object at the end of a line whose start was torn when the writer died."""
    starts = [match.start() for match in _START.finditer(words, 1)][:_ATTEMPTS]
    return next((found for start in starts if (found := _loaded(words[start:])) is not None), None)
