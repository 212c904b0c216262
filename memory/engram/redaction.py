"""Takes private blocks out of what agents save, before anything is stored, compared or logged."""

from __future__ import annotations

import re

from memory.transcripts import redaction
from memory.transcripts.conversation import Json

_UNFINISHED = re.compile(r"</?private\b[^<>]*(?=<|\Z)", re.IGNORECASE)
_DEEPEST = 40


def redact(text: str) -> str:
    """Put `[REDACTED]` where `<private>…</private>` was, then trim; a text that is only such a block becomes that.

    Any case, across lines, blocks in blocks; one that never ends reaches to the end of the text. What a database
    cannot hold (NUL, half surrogates) becomes U+FFFD.
    """
    return _clean(text).strip()


def redact_all(value: Json, depth: int = 0) -> Json:
    """Redact every text of a JSON value, keys and nested ones included; the rest stays as it is, white space too.

    What lies deeper than anything real becomes `…`.
    """
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {_clean(key): redact_all(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [redact_all(inner, depth + 1) for inner in value]
    return value


def _clean(text: str) -> str:
    # A tag that another one cuts short counts as whole: `<private<private></private>>` must not leave one behind.
    whole = _UNFINISHED.sub(r"\g<0>>", text.replace("\0", "\ufffd"))
    return redaction.clean(whole)
