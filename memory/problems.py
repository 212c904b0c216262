"""What was wrong with a file that could not be read as it should be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One file and one sentence about it.

    `path` is relative to `.memsearch`, with `/`; both values may hold text that somebody else wrote.
    """

    path: str
    text: str
