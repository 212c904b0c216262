"""Names of projects: how they are compared, checked and guessed."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

UNKNOWN = "unknown"
"""What Engram calls a project whose directory gives it no name."""

LONGEST = 200

_RUN = re.compile(r"-{2,}|_{2,}")
_NOT_A_NAME = {"", ".", ".."}
_UNSTORABLE = {"Cc", "Cs"}  # control characters, lone surrogates


class InvalidName(ValueError):
    """A text that cannot be a project's name; the message is one sentence for people."""


def canonical(name: str) -> str:
    """Return the spelling by which two names are compared.

    Engram's rule (`NormalizeProject`): trim, lower case, then each run of `-` becomes one `-` and each run of `_`
    one `_`. The two are not exchanged for one another, and slashes stay.
    """
    return _RUN.sub(lambda run: run[0][0], name.strip().lower())


def validate(name: str) -> str:
    """Return the name without surrounding white space; raise `InvalidName` when it is none.

    Markup, slashes and any script are fine: a name is data.
    """
    trimmed = name.strip()
    if not trimmed:
        raise InvalidName("A project needs a name.")
    if len(trimmed) > LONGEST:
        raise InvalidName(f"A project's name has at most {LONGEST} characters; this one has {len(trimmed):,}.")
    if any(unicodedata.category(character) in _UNSTORABLE for character in trimmed):
        raise InvalidName("A project's name cannot hold control characters.")
    return trimmed


def from_directory(root: Path) -> str:
    r"""Return the canonical name for a directory: its last part, or `unknown` when that is no name.

    Parts end at `/` and at `\`, because an agent on Windows may have named the directory (Engram's `dir_basename`).
    """
    last = re.split(r"[/\\]", str(root).rstrip("/\\"))[-1]
    name = canonical(last)
    try:
        return UNKNOWN if name in _NOT_A_NAME else validate(name)
    except InvalidName:
        return UNKNOWN
