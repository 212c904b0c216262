"""Bytes of a text file, turned into text that every database can store."""

from __future__ import annotations

import codecs
import re

_NEWLINE = re.compile("\r\n?")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_UTF8 = codecs.getincrementaldecoder("utf-8")

NOT_UTF8 = "is not valid UTF-8; bad bytes are shown as \ufffd."
HAS_NUL = "holds NUL characters, which are shown as \ufffd."


def decode(data: bytes, *, complete: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file without byte order mark and carriage returns, and what was wrong with it.

    A flaw is the rest of a sentence that begins with the file's name. With `complete` off, the data was cut
    somewhere: a character that the cut went through is left out and is no flaw.
    """
    flaws = []
    try:
        text = _UTF8("strict").decode(data, final=complete)
    except UnicodeDecodeError:
        text = _UTF8("replace").decode(data, final=complete)
        flaws.append(NOT_UTF8)
    if "\0" in text:
        flaws.append(HAS_NUL)
    return normalise(storable(text)), tuple(flaws)


def normalise(text: str) -> str:
    """Return the text without byte order mark, every line end being one line feed."""
    return _NEWLINE.sub("\n", text.removeprefix("\ufeff"))


def storable(text: str) -> str:
    """Replace what no database takes as text, NUL and lone surrogates, by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)
