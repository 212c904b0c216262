"""The front matter of a SKILL.md: simple `key: value` lines, read without a YAML engine."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory.documents import decoding

_FENCE = "---"
_KEY = re.compile(r"[\w.-]+")
_BLOCK = re.compile(r"([|>])[+-]?\d?[+-]?(?:\s+#.*)?")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', re.DOTALL)
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'\s*(?:#.*)?", re.DOTALL)
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_NESTED = re.compile(r"-(?:\s|$)|[\w.-]+:(?:\s|$)")


def split(text: str) -> tuple[dict[str, str], str]:
    """Return the fields of the front matter and the text below it.

    Values are scalars: plain (continued on indented lines or not), in single or double quotes, or blocks (`|`, `>`)
    without the line end that YAML leaves on them. Numbers and flow lists stay as they are written; lists and
    mappings on lines of their own are left out. Of a key that comes twice, the last counts. A text whose front
    matter does not end has none.
    """
    text = decoding.normalise(text)
    lines = text.split("\n")
    fences = (number for number, line in enumerate(lines) if line.rstrip() == _FENCE)
    if next(fences, None) != 0 or (end := next(fences, None)) is None:
        return {}, text
    return dict(_fields(lines[1:end])), "\n".join(lines[end + 1 :]).lstrip("\n")


@dataclass(slots=True)
class _Entry:
    """A key, what stands behind its colon, and the lines below that belong to it."""

    key: str
    first: str
    rest: list[str] = field(default_factory=list)

    def takes(self, line: str) -> bool:
        is_list_at_margin = not self.first and line.startswith("-")
        return not line.strip() or line[0] in " \t" or is_list_at_margin


def _fields(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for entry in _entries(lines):
        value = _value(entry)
        if value is not None:
            yield entry.key, decoding.storable(value)


def _entries(lines: Iterable[str]) -> list[_Entry]:
    entries: list[_Entry] = []
    for line in lines:
        key, colon, first = line.partition(":")
        if colon and _KEY.fullmatch(key) and first[:1] in {"", " ", "\t"}:
            entries.append(_Entry(key, first.strip()))
        elif entries and entries[-1].takes(line):
            entries[-1].rest.append(line)
    return entries


def _value(entry: _Entry) -> str | None:
    if block := _BLOCK.fullmatch(entry.first):
        return _literal(entry.rest) if block[1] == "|" else _fold(entry.rest)
    if entry.first[:1] in {'"', "'"}:
        quoted = _unquote(_fold([entry.first, *entry.rest]))
        if quoted is not None:
            return quoted
    lines = [_COMMENT.sub("", line) for line in (entry.first, *entry.rest)]
    is_nested = not lines[0] and _NESTED.match(_fold(lines))
    return None if is_nested else _fold(lines)


def _unquote(text: str) -> str | None:
    if match := _SINGLE_QUOTED.fullmatch(text):
        return match[1].replace("''", "'")
    if match := _DOUBLE_QUOTED.fullmatch(text):
        try:
            return str(json.loads(f'"{match[1]}"', strict=False))
        except ValueError:  # an escape that YAML has and JSON has not
            return match[1]
    return None


def _literal(lines: list[str]) -> str:
    return textwrap.dedent("\n".join(lines)).strip("\n")


def _fold(lines: Iterable[str]) -> str:
    """Join lines by spaces; an empty line is a line break, as in YAML."""
    joined = " ".join(line.strip() or "\n" for line in lines)
    return joined.replace(" \n", "\n").replace("\n ", "\n").strip()
