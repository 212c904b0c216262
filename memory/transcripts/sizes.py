"""Keeps what is shown at once small."""

from __future__ import annotations

import json

from memory.transcripts.conversation import Turn


def fitted(turns: list[Turn], asked: int | None, limit: int) -> tuple[tuple[Turn, ...], bool]:
    """Drop turns until `limit` characters suffice, those furthest from the one asked for (or the last) first.

    That one itself always stays. Tells also whether anything was dropped.
    """
    if not turns:
        return (), False
    center = asked if asked is not None else turns[-1].number
    nearest = sorted(turns, key=lambda turn: abs(turn.number - center))
    kept: set[int] = set()
    for turn in nearest:
        limit -= _size(turn)
        if limit < 0 and kept:
            break
        kept.add(turn.number)
    return tuple(turn for turn in turns if turn.number in kept), len(kept) < len(turns)


def _size(turn: Turn) -> int:
    texts = (turn.user, *turn.user_more, *turn.assistant, *turn.thinking)
    tools = sum(len(tool.output or "") + len(json.dumps(tool.input, ensure_ascii=False)) for tool in turn.tools)
    return sum(map(len, texts)) + tools
