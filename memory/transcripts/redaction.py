"""What is taken out of every text before anybody sees it: private blocks, and signs that are no text."""

from __future__ import annotations

import re

from memory.transcripts.conversation import Json

REDACTED = "[REDACTED]"

_MARK = re.compile(r"<(/?)private\b[^<>]*>", re.IGNORECASE)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEEPEST = 40


def clean(text: str) -> str:
    """Put `[REDACTED]` where `<private>…</private>` was; a block that never ends reaches to the end.

    Half surrogates, which JSON can hold and UTF-8 cannot, become U+FFFD.
    """
    text = _SURROGATE.sub("\ufffd", text)
    if "<private" not in text.casefold():
        return text
    return "".join(_public(text))


def clean_value(value: Json, depth: int = 0) -> Json:
    """Clean every text in a JSON value; what lies deeper than anything real becomes `…`."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {clean(key): clean_value(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [clean_value(inner, depth + 1) for inner in value]
    return value


def _public(text: str) -> list[str]:
    """Split off private blocks, which may lie in one another."""
    pieces: list[str] = []
    depth = start = 0
    for mark in _MARK.finditer(text):
        is_opening = not mark[1]
        if is_opening and depth == 0:
            pieces += [text[start : mark.start()], REDACTED]
        if is_opening or depth:
            depth += 1 if is_opening else -1
            start = mark.end()
    return pieces if depth else [*pieces, text[start:]]
