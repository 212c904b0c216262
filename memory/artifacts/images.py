"""The size of an image by its first bytes, without decoding it."""

from __future__ import annotations

from dataclasses import dataclass

from memory.artifacts import media

_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers of a frame, which begins with its size."""
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers that nothing belongs to."""


@dataclass(frozen=True, slots=True)
class Size:
    """Pixels."""

    width: int
    height: int


def size(head: bytes) -> Size | None:
    """Read the size that an image of the four kinds says it has; None where its start does not tell.

    Sources: PNG (RFC 2083, IHDR), GIF89a, WebP (RFC 9649), JPEG (ITU T.81, annex B).
    """
    read = {"image/png": _png, "image/gif": _gif, "image/webp": _webp, "image/jpeg": _jpeg}
    reader = read.get(media.sniffed(head))
    found = reader(head) if reader else None
    return found if found and found.width and found.height else None


def _png(head: bytes) -> Size | None:
    if head[12:16] != b"IHDR" or len(head) < 24:
        return None
    return Size(int.from_bytes(head[16:20]), int.from_bytes(head[20:24]))


def _gif(head: bytes) -> Size | None:
    if len(head) < 10:
        return None
    return Size(int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))


def _webp(head: bytes) -> Size | None:
    kind = head[12:16]
    if len(head) < 30:
        return None
    if kind == b"VP8X":
        return Size(1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little"))
    if kind == b"VP8 ":
        return Size(*(int.from_bytes(head[at : at + 2], "little") & 0x3FFF for at in (26, 28)))
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return Size(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    return None


def _jpeg(head: bytes) -> Size | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAMES:
            return Size(int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7]))
        if marker == 0xFF or marker in _ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        at += 2 + max(2, int.from_bytes(head[at + 2 : at + 4]))
    return None
