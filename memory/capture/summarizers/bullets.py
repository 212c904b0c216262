"""Takes the bullets out of what a model said, and nothing else."""

from __future__ import annotations

import re

from memory.capture.summarizers.base import Unavailable
from memory.engram.redaction import redact
from memory.journal.grammar import clean

_BULLET = re.compile(r"[-*•] +(?=\S)")
_NESTED = re.compile(r"(?:\t| {2,})[-*•] +(?=\S)")
_MOST = 30
_LONGEST = 1500


def bullets(said: str) -> str:
    """Return the lines that are bullets, as `- ` ones, nested ones below them. Raises Unavailable when there are none.

    Headings, fences, HTML and remarks around them are left out (MemSearch's plugins accept a summary by its bullets).
    """
    kept: list[str] = []
    for line in clean(redact(said)).split("\n"):
        if found := _BULLET.match(line):
            kept.append("- " + line[found.end() :].strip()[:_LONGEST])
        elif kept and (found := _NESTED.match(line)):
            kept.append("  - " + line[found.end() :].strip()[:_LONGEST])
    if not kept:
        reason = "summarizer returned no bullets" if said.strip() else "summarizer returned empty output"
        raise Unavailable(reason)
    return "\n".join(kept[:_MOST])
