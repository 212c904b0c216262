"""Turns out of the entries of an OpenClaw session: a tree in one file, whose last entry is the active leaf."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject, Status
from memory.transcripts.drafts import Draft, Parser
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally
from memory.transcripts.openclaw import words

_KNOWN = frozenset({"session", "message", "compaction", "model_change", "thinking_level_change", "custom"})
_STATUS: dict[str, Status] = {"aborted": "interrupted", "error": "error", "toolUse": "running"}
_RESULT = frozenset({"text", "toolResult"})


class OpenClawParser(Parser):
    """Entries that are no messages only hold the tree together."""

    def __init__(self, limits: Limits, tally: Tally) -> None:
        super().__init__(limits, tally)
        self._parents: dict[str, str] = {}
        self._order: dict[str, int] = {}
        self._leaf = ""
        self._before = ""
        self._count = 0

    def feed(self, line: JsonObject) -> None:
        kind = fields.text(line.get("type"))
        self.tally.is_recognized |= kind in _KNOWN
        if kind != "session" and (ident := fields.text(line.get("id"))):
            self._parents[ident] = fields.text(line.get("parentId"))
            self._order[ident] = len(self._order)
            self._leaf = ident
        if kind == "message":
            self._message(line, fields.record(line.get("message")))

    def close(self) -> None:
        if (draft := self.draft) and draft.sketch.trigger == "heartbeat":
            draft.sketch.is_hidden = words.is_quiet(draft.assistant) and not draft.calls
        super().close()
        self._before = ""

    def finish(self) -> None:
        """Find out which turns lie on the way to the active leaf; before a gap in that way, all count."""
        path = set(self._path())
        start = min((self._order[ident] for ident in path), default=0)
        for sketch in self.sketches:
            sketch.is_active = sketch.id in path or self._order.get(sketch.id, -1) < start
            if sketch.status == "running" and sketch is not self.sketches[-1]:
                sketch.status = "interrupted"

    def _path(self) -> Iterator[str]:
        ident, seen = self._leaf, set[str]()
        while ident in self._parents and ident not in seen:
            seen.add(ident)
            yield ident
            ident = self._parents[ident]

    def _message(self, line: JsonObject, message: JsonObject) -> None:
        role = fields.text(message.get("role"))
        when = fields.moment(line.get("timestamp")) or fields.moment(message.get("timestamp"))
        if role == "user":
            self._user(fields.text(line.get("id")), message.get("content"), when)
        elif self.draft:
            self.draft.see(when)
            self.draft.ids.add(fields.text(line.get("id")))
            self._reply(self.draft, role, message)

    def _user(self, ident: str, content: Json, when: datetime | None) -> None:
        text = words.spoken(fields.joined(content))
        is_heartbeat = words.is_heartbeat(text)
        draft = self.begin(ident, when, "heartbeat" if is_heartbeat else "user")
        if not is_heartbeat:
            draft.ask(text)
        for block in fields.records(content):
            if block.get("type") == "image":
                draft.attach("image", fields.text(block.get("mimeType")))

    def _reply(self, draft: Draft, role: str, message: JsonObject) -> None:
        if role == "assistant" and not _is_mirror(message):
            self._assistant(draft, message)
        elif role == "toolResult":
            output = fields.joined(message.get("content"), _RESULT)
            draft.answer(fields.text(message.get("toolCallId")), output, is_error=message.get("isError") is True)
        elif role == "bashExecution":
            self._count += 1
            key = f"bash {self._count}"
            draft.call(key, "bash", {"command": fields.text(message.get("command"))})
            draft.answer(key, fields.text(message.get("output")), is_error=bool(message.get("exitCode")))

    def _assistant(self, draft: Draft, message: JsonObject) -> None:
        content = message.get("content")
        if isinstance(content, str):
            self._say(draft, content)
        for block in fields.records(content):
            kind = fields.text(block.get("type"))
            if kind == "text":
                self._say(draft, fields.text(block.get("text")))
            elif kind == "thinking":
                draft.think(fields.text(block.get("thinking")))
            elif kind in {"toolCall", "tool_use"}:
                arguments = block.get("arguments", block.get("input"))
                draft.call(fields.text(block.get("id")), fields.text(block.get("name")), fields.decoded(arguments))
        draft.sketch.status = _STATUS.get(fields.text(message.get("stopReason")), "completed")

    def _say(self, draft: Draft, text: str) -> None:
        """Take an answer; the same once more is what was sent to the channel, its mark lost."""
        spoken = words.said(text)
        if spoken != self._before:
            draft.say(spoken)
        self._before = spoken


def _is_mirror(message: JsonObject) -> bool:
    return message.get("provider") == "openclaw" and message.get("model") == "delivery-mirror"
