"""Finds what an agent says that it learned: the list below a heading such as "Key Learnings" (Engram's rules)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_HEADING = re.compile(
    r"^\#{2,3}[ \t]+(?:Aprendizajes(?:[ \t]+Clave)?|Key[ \t]+Learnings?|Learnings?):?[ \t\r]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_HEADING = re.compile(r"^#{1,3} ", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*[0-9]+[.)][ \t]+(.+)", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*][ \t]+(.+)", re.MULTILINE)
_MARKS = [re.compile(pattern) for pattern in (r"\*\*([^*]+)\*\*", r"`([^`]+)`", r"\*([^*]+)\*")]

_BYTES = 20
_WORDS = 4


def extract(content: str) -> list[str]:
    """Return the items of the last section that has any; numbered ones, or bullets where none is numbered.

    Marks of bold, code and italics go; an item shorter than 20 bytes or 4 words is none.
    """
    for heading in reversed(list(_HEADING.finditer(content))):
        follows = _NEXT_HEADING.search(content, heading.end())
        section = (heading.end(), follows.start() if follows else len(content))
        if items := _worthy(_NUMBERED.findall(content, *section)) or _worthy(_BULLET.findall(content, *section)):
            return items
    return []


def _worthy(items: Iterable[str]) -> list[str]:
    plain = [_plain(item) for item in items]
    return [item for item in plain if len(item.encode()) >= _BYTES and len(item.split()) >= _WORDS]


def _plain(item: str) -> str:
    for mark in _MARKS:
        item = mark.sub(r"\1", item)
    return " ".join(item.split())
