"""Takes out of memory text what nobody should find or be shown: anchors, comments, harness blocks, escape codes."""

from __future__ import annotations

import re
import unicodedata

from memory.journal.harness import TAGS, blocks

_TAG = re.compile(rf"</?(?:{TAGS})(?=[\s>])[^<>]*+>")
# Escape sequences that end (CSI, OSC), then every control but tab and newline, lone surrogates, byte order marks.
_INVISIBLE = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return the text as it is indexed and shown, composed (NFC). Takes any text, in linear time.

    A harness block goes with what it holds; of one that is never closed only the tag goes, because the rest of the
    text may be all that is remembered.
    """
    text = _INVISIBLE.sub("", text)
    if "<" in text:
        text = _TAG.sub(" ", _outside_blocks(text))
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _outside_blocks(text: str) -> str:
    kept, position = [], 0
    for block in blocks(text):
        kept.append(text[position : block.start])
        position = block.end
    return " ".join([*kept, text[position:]])
