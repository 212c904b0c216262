"""Characters in a text that a reader does not see, or that change the order of others."""

from __future__ import annotations

import re
import unicodedata

# Controls except tab and line ends; Unicode's Default_Ignorable_Code_Point without the variation selectors of emoji;
# line and paragraph separators; the blank Braille pattern. Any of them can hide text or turn its order around.
_HIDDEN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CONTROLS = {0x00: "NULL", 0x08: "BACKSPACE", 0x1B: "ESCAPE", 0x7F: "DELETE"}


def reveal(text: str) -> list[tuple[int, str]]:
    """Return the position of each hidden character, from 0, and its Unicode name."""
    return [(found.start(), _name(found[0])) for found in _HIDDEN.finditer(text)]


def visible(text: str) -> str:
    """Return the text with each hidden character written as its number, as in ⟦U+202E⟧."""
    return _HIDDEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def _name(character: str) -> str:
    code = ord(character)
    return unicodedata.name(character, "") or _CONTROLS.get(code, f"U+{code:04X}")
