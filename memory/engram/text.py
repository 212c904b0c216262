"""Texts as Engram keeps them: cut to a size, compared without regard to spacing, shortened for a list."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

LIMIT = 50_000
"""Most bytes of a content (Engram's default)."""

MARK = "... [truncated]"


@dataclass(frozen=True, slots=True)
class Cut:
    """A text within the limit, and the size in bytes of the whole where something was cut off."""

    text: str
    full_size: int | None = None


def cut(text: str, limit: int = LIMIT) -> Cut:
    """Keep the first `limit` bytes, back to the end of a character, and say so with `... [truncated]` after them.

    A text that was cut to this limit before stays as it is: its full size is not known here.
    """
    raw = text.encode()
    if len(raw) <= limit or (arrived_cut(text) and len(raw) <= limit + len(MARK)):
        return Cut(text)
    return Cut(raw[:limit].decode(errors="ignore") + MARK, len(raw))


def arrived_cut(text: str) -> bool:
    """Tell whether whoever wrote the text had cut it already."""
    return text.endswith(MARK)


def normalized_hash(content: str) -> str:
    """Return the SHA-256, in hex, of the text in lower case with each run of white space as one blank."""
    return hashlib.sha256(" ".join(content.split()).lower().encode()).hexdigest()


def preview(text: str, n: int) -> str:
    """Return the first `n` characters, with `...` after them when there are more."""
    return text if len(text) <= n else text[:n] + "..."
