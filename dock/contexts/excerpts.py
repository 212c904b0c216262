"""Excerpts of Markdown as a person reads them: one line without the signs that format it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory.recall.snippets import Part

# Private-use characters stand for the borders of marked places while signs around and inside of them are taken away.
_OPEN, _CLOSE = "\ue000", "\ue001"
_BORDER = re.compile(f"[{_OPEN}{_CLOSE}]")
_SIGNS = (
    (re.compile(r"`+"), ""),
    (re.compile(r"(?<![\w*])(\*\*|~~|\*)(?=[^\s*])([^*~]+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"(^|(?<=[\s…]))\*\*(?=\S)|(?<=\S)\*\*(?=[\s.,:;…]|$)"), ""),  # the other half was cut off
    (re.compile(r"!?\[([^\[\]]+)\]\([^()\s]*\)"), r"\1"),
    (re.compile(r"(^|(?<=[\s…]))[-*+] \[ \] "), "☐ "),
    (re.compile(r"(^|(?<=[\s…]))[-*+] \[[xX]\] "), "☑ "),
    (re.compile(r"\s#{1,6}(?=…?$)"), ""),
    (re.compile(r"(^|(?<=…))(?:[-*+>]|#{1,6}|\d+\.) "), r"\1"),
    (re.compile(r"(?<=\s)(?:-|#{1,6}(?= [^\s\d])) "), "· "),
)


def readable(parts: Iterable[Part]) -> list[Part]:
    """Take the signs of Markdown out of a snippet; what is marked stays marked."""
    text = "".join(_bordered(part) for part in parts)
    for pattern, instead in _SIGNS:
        text = pattern.sub(instead, text)
    return list(_parts(text))


def _bordered(part: Part) -> str:
    text = _BORDER.sub("", part.text)
    return f"{_OPEN}{text}{_CLOSE}" if part.is_marked else text


def _parts(text: str) -> Iterable[Part]:
    is_marked, start = False, 0
    for border in _BORDER.finditer(text):
        if piece := text[start : border.start()]:
            yield Part(piece, is_marked)
        is_marked, start = border[0] == _OPEN, border.end()
    if piece := text[start:]:
        yield Part(piece, is_marked)
