"""Turns out of DSH's events, from `turn/start` to `turn/end`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject, Status
from memory.transcripts.drafts import Draft, Parser
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally

NEWEST = 4
"""The newest generation of the format that is known here."""

_STATUS: dict[str, Status] = {
    "completed": "completed",
    "aborted": "interrupted",
    "interrupted": "interrupted",
    "blocked": "interrupted",
}


class DshParser(Parser):
    """Pieces of answers that were streamed are passed over: the message that follows holds them all."""

    def __init__(self, limits: Limits, tally: Tally) -> None:
        super().__init__(limits, tally)
        self._seeded = 0
        self._events: dict[str, Callable[[JsonObject, datetime | None], None]] = {
            "turn/end": self._end,
            "user/message": self._user,
            "assistant/message": self._assistant,
            "tool/call": self._call,
            "tool/result": self._result,
        }

    def feed(self, line: JsonObject) -> None:
        kind = fields.text(line.get("type"))
        data = fields.record(line.get("data"))
        when = fields.moment(line.get("time"))
        if kind == "session":
            self._header(line)
        elif kind == "turn/start":
            self._start(data, line, when)
        elif kind == "session/end-seed" and data.get("inherited") is True:
            for sketch in self.sketches:
                sketch.is_replayed = True
        elif take := self._events.get(kind):
            take(data, when)

    def finish(self) -> None:
        """Settle turns without an end: only the last one can still be running."""
        for sketch in self.sketches[:-1]:
            if sketch.status == "running":
                sketch.status = "interrupted"

    def _header(self, line: JsonObject) -> None:
        self.tally.is_recognized = True
        self._seeded = fields.number(line.get("seedLength")) or 0
        if (fields.number(line.get("version")) or 0) > NEWEST:
            self.tally.notes.append("The conversation is in a newer format; parts of it may be missing here.")

    def _start(self, data: JsonObject, line: JsonObject, when: datetime | None) -> None:
        turn = fields.number(data.get("turn"))
        draft = self.begin("" if turn is None else str(turn), when)
        draft.sketch.status = "running"
        draft.sketch.is_replayed = (fields.number(line.get("seq")) or 0) < self._seeded

    def _end(self, data: JsonObject, when: datetime | None) -> None:
        if self.draft:
            self.draft.see(when)
            self.draft.sketch.status = _STATUS.get(fields.text(fields.record(data.get("reason")).get("kind")), "error")
        self.close()

    def _user(self, data: JsonObject, when: datetime | None) -> None:
        """Take a person's words; runtime context, memories and summaries come from other sources."""
        if self.draft is None or fields.record(data.get("source")).get("kind") != "user":
            return
        self.draft.see(when)
        content = data.get("content")
        if self.draft.user or self.draft.attachments:
            self.draft.add(fields.joined(content))
        else:
            self.draft.ask(fields.joined(content))
        for block in fields.records(content):
            if block.get("type") == "image":
                self.draft.attach("image", fields.text(block.get("mediaType")))

    def _assistant(self, data: JsonObject, when: datetime | None) -> None:
        if self.draft is None:
            return
        self.draft.see(when)
        for block in fields.records(fields.record(data.get("message")).get("content")):
            self._block(self.draft, block)

    def _block(self, draft: Draft, block: JsonObject) -> None:
        kind, text = fields.text(block.get("type")), fields.text(block.get("text"))
        if kind == "text":
            draft.say(text)
        elif kind == "reasoning":
            draft.think(text)
        elif kind == "tool-call":
            _called(draft, block.get("id"), block)

    def _call(self, data: JsonObject, when: datetime | None) -> None:
        if self.draft:
            self.draft.see(when)
            _called(self.draft, data.get("callId"), data)

    def _result(self, data: JsonObject, when: datetime | None) -> None:
        """Take a result: generation 0 wraps it in a block of a user message, later ones are messages of a tool."""
        if self.draft is None:
            return
        self.draft.see(when)
        message = fields.record(data.get("message"))
        wrapped = next(fields.records(message.get("content")), {})
        result = wrapped if wrapped.get("type") == "tool-result" else message
        output = fields.joined(result.get("content"))
        self.draft.answer(fields.text(result.get("toolCallId")), output, is_error=result.get("isError") is True)


def _called(draft: Draft, key: Json, call: JsonObject) -> None:
    draft.call(fields.text(key), fields.text(call.get("name")), fields.decoded(call.get("arguments")))
