"""Text as it is on disk: line by line, with what a reader could not see made visible."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dock import highlight

ROWS = 3000
"""Lines of a text that are shown with a permalink each; more make a table that a browser is slow with."""

# Controls except tab and line ends, and Unicode's Default_Ignorable_Code_Point without the variation selectors of
# emoji; line and paragraph separators; the blank Braille pattern. Any of them can hide text or turn its order around.
_HIDDEN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A text for reading as source.

    `lines` is a number and safe HTML for each line. A text with more than `ROWS` lines, or one whose first line's
    number is not known, has none and comes as one `block` without permalinks.
    """

    lines: list[tuple[int, SafeString]]
    block: SafeString | str
    hidden: int
    is_empty: bool


def source(text: str, language: str = "", *, first: int | None = 1) -> Source:
    """Prepare a text; `language` is what a code fence would say, `first` the number of its first line."""
    if first is None:
        return Source([], visible(text), hidden(text), not text)
    plain = _split(text)
    if len(plain) > ROWS:
        numbered = "\n".join(f"{number:>6}  {line}" for number, line in enumerate(plain, start=first))
        return Source([], visible(numbered), hidden(text), is_empty=False)
    return Source(list(enumerate(_lines(text, plain, language), start=first)), "", hidden(text), not text)


def hidden(text: str) -> int:
    """Count the characters that a reader cannot see or that change the direction of others."""
    return sum(1 for _ in _HIDDEN.finditer(text))


def visible(text: str) -> SafeString:
    """Return the text as safe HTML in which each hidden character is a mark with its number."""
    if not _HIDDEN.search(text):
        return format_html("{}", text)
    pieces = _HIDDEN.split(text)
    marks = [_mark(found[0]) for found in _HIDDEN.finditer(text)]
    return format_html_join("", "{}{}", zip(pieces, [*marks, ""], strict=True))


def _lines(text: str, plain: list[str], language: str) -> list[SafeString]:
    coloured = highlight.lines(text, language)
    # What is hidden in a line matters more than its colours.
    return [visible(line) if _HIDDEN.search(line) else shown for line, shown in zip(plain, coloured, strict=True)]


def _split(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _mark(character: str) -> SafeString:
    return format_html(
        '<span class="badge" data-tone="bad" title="hidden character">U+{}</span>', f"{ord(character):04X}"
    )
