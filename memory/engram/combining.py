"""Joins the texts of several memories: everything that one of them says, each paragraph once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memory.models import Observation


def combined(into: Observation, others: Iterable[Observation]) -> str:
    """Return the text of the first as it is, and below it what the others add, each part under its title."""
    parts, known = [into.content.strip()], {_key(text) for text in paragraphs(into.content)}
    for other in others:
        added = []
        for text in paragraphs(other.content):
            if _key(text) not in known:
                known.add(_key(text))
                added.append(text)
        if added and _key(other.title) != _key(into.title):
            added.insert(0, f"**{other.title}**")
        parts += added
    return "\n\n".join(parts)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text; a fenced block is a part of its own, blank lines included."""
    lines: list[str] = []
    fence = ""
    for line in text.strip().splitlines():
        mark = line.strip()[:3]
        if not fence and not line.strip():
            yield from _joined(lines)
            lines = []
            continue
        lines.append(line)
        if mark in {"```", "~~~"} and fence in {"", mark}:
            fence = "" if fence else mark
    yield from _joined(lines)


def _joined(lines: list[str]) -> Iterator[str]:
    if lines:
        yield "\n".join(lines)


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()
