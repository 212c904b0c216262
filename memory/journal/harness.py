"""What harnesses put into a conversation for the model, not for people, and where it stands in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

TAGS = (
    "system-reminder|task-notification|persisted-output|skill-loaded|user-prompt-submit-hook|environment_context"
    "|local-command-(?:caveat|stdout|stderr)|command-(?:name|message|args|contents)|bash-(?:input|stdout|stderr)"
)
"""Names of such tags, as a regular expression."""

_OPENING = re.compile(rf"<!--|<({TAGS})(?=[\s>])[^<>]*+>")


class Block(NamedTuple):
    """A closed comment (`opening` is empty) or harness block, from its first mark to behind its last."""

    start: int
    end: int
    opening: str


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a text in their order; those inside another one are a part of it.

    A block that is never closed is none, and is searched for once only, so that thousands of openings cost no more
    than one.
    """
    position, unclosed = 0, set[str]()
    for opening in _OPENING.finditer(text):
        close = f"</{opening[1]}>" if opening[1] else "-->"
        if opening.start() < position or close in unclosed:
            continue
        end = text.find(close, opening.end())
        if end < 0:
            unclosed.add(close)
            continue
        position = end + len(close)
        yield Block(opening.start(), position, opening[0] if opening[1] else "")
