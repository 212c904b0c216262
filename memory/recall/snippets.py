"""Snippets of hits, taken apart: HTML from the index is never trusted, only the places of its marks are."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_MARK = re.compile(r"(</?mark>)")


@dataclass(frozen=True, slots=True)
class Part:
    """Plain text, marked or not."""

    text: str
    is_marked: bool


def parts(snippet: str) -> list[Part]:
    """Split HTML-escaped text with `<mark>` as its only tag into plain text; any other tag is text."""
    found: list[Part] = []
    is_marked = False
    for piece in _MARK.split(snippet):
        if _MARK.fullmatch(piece):
            is_marked = piece == "<mark>"
        elif piece:
            found.append(Part(html.unescape(piece), is_marked))
    return found


def plain(snippet: str) -> str:
    """Return a snippet as plain text in one line."""
    return " ".join("".join(part.text for part in parts(snippet)).split())
