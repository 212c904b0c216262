"""Titles and excerpts: one plain line that names an entry, and the plain text that follows it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memory.journal.grammar import ROLE, is_unavailable
from memory.journal.harness import blocks

UNAVAILABLE = "Memory summary unavailable"

_MARKERS = re.compile(r"(?:\s*(?:(?:[-*+•]|\d{1,9}[.)]|#{1,6}|\[[ xX]\])(?=\s|$)|>))*+\s*")
_ROLE = re.compile(rf"{ROLE}\s*")
# Lines that hold the text together: fences, turn headers, cut marks, link definitions.
_SCAFFOLD = re.compile(r"\s*(?:```|~~~|=== (?:Turn|Transcript) .*===\s*$|\.\.\.\(truncated|\[[^\]]*\]:\s+<?(?:\w+:|/))")

# A code span or escaped sign gives its place to one NUL, so that emphasis around it still closes and its own text
# stays as it is. Fewer signs than CommonMark escapes: `C:\dev\.cache` is a path.
_LITERAL = re.compile(r"\\([*_`~\[\]<>#])|(?<!`)`++([^`]++)`++")
_LINK = re.compile(r'!?\[([^\[\]]*+)\](?:\((?:[^()\s\0]++|\([^()\s\0]*+\))*+(?:\s+"[^"\0]*+")?\s*\)|\[[^\[\]\0]*+\])')
_TAG = re.compile(r"<(?:(https?:[^<>\s]++)|/?[A-Za-z][^<>\0]*+)>|<!--")
_STRUCK = re.compile(r"~~(?=\S)([^~]+?)(?<=\S)~~")
# Not emphasis: `src/**/*.py` is a pattern, `__init__.py` and `__init__()` are names.
_STARS = re.compile(r"(?<![*/])(?P<mark>\*{1,3})(?=[^\s/])(?P<text>[^*]+?)(?<=\S)(?P=mark)")
_UNDERSCORES = re.compile(r"(?<!\w)(?P<mark>_{1,2})(?=\S)(?P<text>[^_]+?)(?<=\S)(?P=mark)(?!\w|\.\w|\()")

_EMPHASIS = (("*", _STARS, r"\g<text>"), ("_", _UNDERSCORES, r"\g<text>"), ("~~", _STRUCK, r"\1"))
_MARKUP = (
    ("<", _TAG, r"\1"),
    *[("[", _LINK, r"\1")] * 2,  # A linked image is a link around a link.
    *_EMPHASIS * 2,  # Emphasis may hold emphasis.
)
"""(a sign without which there is no such markup, the markup, what stays of it)"""

_REACH = 20_000
"""Characters that are looked at for a meaningful line; far more than any title or excerpt shows."""


def title(body: str, limit: int = 120) -> str:
    """Name an entry by its first meaningful line, without markup, in at most `limit` characters.

    Empty only when the body has no visible character. Text from harnesses (`<system-reminder>` and the like) counts
    only by its tag, and only where there is nothing else.
    """
    if is_unavailable(body):
        return UNAVAILABLE
    text = _outside_blocks(body)
    line = next(_plain_lines(text), "") or _one_line(text) or _one_line(body)
    return _cut(line, limit)


def excerpt(body: str, limit: int = 240) -> str:
    """Tell what follows the line of the title, as plain text in at most `limit` characters; empty when nothing does."""
    if is_unavailable(body):
        return ""
    lines = _plain_lines(_outside_blocks(body))
    next(lines, "")
    words, size = [], 0
    for line in lines:
        words.append(line)
        size += len(line) + 1
        if size > limit:
            break
    return _cut(" ".join(words), limit)


def below(known: str, body: str) -> str:
    """Return what a reader of the title has not read yet; all of it where the title is not the whole first line."""
    first, _, rest = body.partition("\n")
    is_title = title(first) == known and not known.endswith("…")
    return rest if is_title and not rest.startswith((" ", "\t")) else body


def _plain_lines(text: str) -> Iterator[str]:
    for line in text.lstrip()[:_REACH].split("\n"):
        plain = _plain(line)
        if any(character.isalnum() for character in plain):
            yield plain


def _plain(line: str) -> str:
    """A line without its markers and markup; empty for lines that only hold the text together."""
    unmarked = _MARKERS.sub("", line, count=1)
    said = _ROLE.sub("", unmarked, count=1) if _ROLE.match(unmarked) else unmarked
    if said is unmarked and _SCAFFOLD.match(unmarked):
        return ""
    return _one_line(_inline(said))


def _inline(text: str) -> str:
    literals: list[str] = []

    def keep(literal: re.Match[str]) -> str:
        literals.append(literal[1] or literal[2])
        return "\0"

    text = _LITERAL.sub(keep, text.replace("\0", ""))
    for sign, markup, rest in _MARKUP:
        if sign in text:
            text = markup.sub(rest, text)
    kept = iter(literals)
    return re.sub("\0", lambda _: next(kept), text)


def _outside_blocks(text: str) -> str:
    """The text without closed comments and harness blocks; of a harness block the opening tag stays."""
    kept, position = [], 0
    for block in blocks(text):
        kept += [text[position : block.start], block.opening or " "]
        position = block.end
    return "".join([*kept, text[position:]])


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split())


def _cut(text: str, limit: int) -> str:
    """Cut at the end of a word, or anywhere in a script without blanks and in a word that would leave too little."""
    if len(text) <= limit:
        return text
    room = max(limit - 1, 0)
    ends = (
        at for at in range(room, room // 2, -1) if text[at].isspace() or _is_wide(text[at - 1]) or _is_wide(text[at])
    )
    return text[: next(ends, room)].rstrip() + "…"[:limit]


def _is_wide(character: str) -> bool:
    """Tell Han and kana, which may be cut anywhere; Hangul is as wide, but has blanks between words."""
    return unicodedata.east_asian_width(character) == "W" and not unicodedata.name(character, "").startswith("HANGUL")
