"""Takes out of memory text what nobody should find or be shown: anchors, comments, harness blocks, escape codes."""

from __future__ import annotations

import re
import unicodedata

# What harnesses put into a conversation for the model, not for people (see memory.journal.titles).
_HARNESS = (
    "system-reminder|task-notification|persisted-output|skill-loaded|user-prompt-submit-hook|environment_context"
    "|local-command-(?:caveat|stdout|stderr)|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)"
)
_OPENING = re.compile(rf"<!--|<({_HARNESS})(?=[\s>])[^<>]*+>")
_TAG = re.compile(rf"</?(?:{_HARNESS})(?=[\s>])[^<>]*+>")
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
    kept, position, unclosed = [], 0, set[str]()
    for opening in _OPENING.finditer(text):
        close = f"</{opening[1]}>" if opening[1] else "-->"
        if opening.start() < position or close in unclosed:
            continue
        end = text.find(close, opening.end())
        if end < 0:
            unclosed.add(close)
            continue
        kept.append(text[position : opening.start()])
        position = end + len(close)
    return " ".join([*kept, text[position:]])
