"""Turns as a summarizer reads them: who said what and which tools ran, bounded, the final answer never cut away."""

from __future__ import annotations

import json

from memory.journal import harness
from memory.transcripts.conversation import Json, Tool, Turn
from memory.transcripts.limits import clipped

LIMIT = 24_000
"""Characters of a rendered turn (MemSearch keeps the first 6,000 and loses the answer)."""

_TOOL_INPUT = 400
_TOOL_OUTPUT = 600
_INJECTED = ("[memsearch] Memory available.", "<memdock-context>")


def question(turn: Turn) -> str:
    """Return what the person asked, without what harnesses and memories put around it."""
    return "\n\n".join(filter(None, (_own(text) for text in (turn.user, *turn.user_more))))


def render(turn: Turn, *, limit: int = LIMIT) -> str:
    """Return the turn as text: question first, the last answer last, and between them what there is room for.

    The shape is that of MemSearch's dsh plugin (`=== Turn N ===`, `[User]:`, `[Tool call]:`, `[Assistant]:`).
    """
    asked = f"[User]: {clipped(question(turn), limit // 4)}"
    *earlier, answer = [text for text in map(_own, turn.assistant) if text] or [""]
    final = f"[Assistant]: {clipped(answer, limit // 3)}" if answer else ""
    middle = "\n\n".join([*map(_call, turn.tools), *(f"[Assistant]: {text}" for text in earlier)])
    room = max(0, limit - len(asked) - len(final) - 100)
    status = "" if turn.status == "completed" else f"(The turn ended early: {turn.status}.)"
    parts = [f"=== Turn {turn.id or turn.number} ===", asked, clipped(middle, room), final, status]
    return "\n\n".join(filter(None, parts))


def final(rendered: str) -> str:
    """Return the last answer of a rendered turn, "" where there is none."""
    _, mark, answer = rendered.rpartition("\n\n[Assistant]: ")
    return answer.partition("\n\n(The turn ended early")[0] if mark else ""


def _own(text: str) -> str:
    """Take out what was said by no person: harness blocks and injected memories."""
    kept, position = [], 0
    for block in harness.blocks(text):
        kept.append(text[position : block.start])
        position = block.end
    words = "".join([*kept, text[position:]]).strip()
    for mark in _INJECTED:
        words = words.partition(mark)[0].strip()
    return words


def _call(tool: Tool) -> str:
    line = f"[Tool call]: {tool.name} {clipped(_written(tool.input), _TOOL_INPUT)}".rstrip()
    if not tool.output:
        return line
    mark = "[Tool error]" if tool.is_error else "[Tool result]"
    return f"{line}\n{mark}: {clipped(tool.output.strip(), _TOOL_OUTPUT)}"


def _written(value: Json) -> str:
    if value in (None, "", {}, []):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
