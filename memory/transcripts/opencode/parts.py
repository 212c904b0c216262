"""Parts of OpenCode's messages: words, thoughts, tool calls and files."""

from __future__ import annotations

from collections.abc import Iterable

from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject
from memory.transcripts.drafts import Draft


def own_words(parts: Iterable[JsonObject]) -> str:
    """Join what a person typed: not what OpenCode or a plugin wrote in its name."""
    texts = (fields.text(part.get("text")) for part in parts if part.get("type") == "text" and _is_own(part))
    return "\n".join(filter(None, texts))


def attach_file(draft: Draft, part: JsonObject) -> None:
    if part.get("type") == "file":
        mime = fields.text(part.get("mime"))
        draft.attach("image" if mime.startswith("image/") else "file", mime, fields.text(part.get("filename")))


def add_part(draft: Draft, part: JsonObject) -> None:
    """Take one part of an answer."""
    kind = fields.text(part.get("type"))
    if kind == "text" and _is_own(part):
        draft.say(fields.text(part.get("text")))
    elif kind == "reasoning":
        draft.think(fields.text(part.get("text")))
    elif kind == "tool":
        add_tool(
            draft, fields.text(part.get("callID")), fields.text(part.get("tool")), fields.record(part.get("state"))
        )


def add_tool(draft: Draft, key: str, name: str, state: JsonObject) -> None:
    """Take a call with its state; 2.x has its output in blocks, and an object for an error."""
    draft.call(key, name, state.get("input"))
    metadata = fields.record(state.get("metadata"))
    if key in draft.calls:
        draft.calls[key].subagent = fields.text(metadata.get("sessionId"))
    if state.get("status") == "error":
        error = state.get("error")
        draft.answer(key, fields.text(error) or fields.text(fields.record(error).get("message")), is_error=True)
    elif state.get("status") == "completed":
        output = fields.joined(state.get("output", state.get("content")))
        draft.answer(key, output, is_error=name == "invalid" or bool(metadata.get("exit")))


def _is_own(part: JsonObject) -> bool:
    return part.get("synthetic") is not True and part.get("ignored") is not True
