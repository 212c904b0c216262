"""Cuts private blocks out; the same as `memory.transcripts.redaction`, which a hook has no time to load."""

from __future__ import annotations

import re
from typing import Any

_DEEPEST = 40
_PRIVATE = re.compile(r"<(/?)private\b[^<>]*>?", re.IGNORECASE)


def without_private(value: Any, depth: int = 0) -> Any:
    """Return a JSON value without private blocks, in keys and values; what lies too deep is left out."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, (dict, list)) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {redacted(key): without_private(inner, depth + 1) for key, inner in value.items()}
    return [without_private(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def redacted(text: str) -> str:
    """Cut private blocks: those in blocks are one, and one without an end reaches to the end of the text."""
    kept: list[str] = []
    depth = start = 0
    for tag in _PRIVATE.finditer(text):
        is_opening = not tag[1]
        if is_opening and depth == 0:
            kept += [text[start : tag.start()], "[REDACTED]"]
        if is_opening or depth:
            depth += 1 if is_opening else -1
            start = tag.end()
    return "".join(kept if depth else [*kept, text[start:]])
