"""Turns of OpenCode 2.x: rows in sequence, from one of the user to the next."""

from __future__ import annotations

from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject, Status
from memory.transcripts.drafts import Draft, Parser
from memory.transcripts.opencode.parts import add_tool, attach_file

_OUTCOMES: dict[str, Status] = {"succeeded": "completed", "interrupted": "interrupted", "aborted": "interrupted"}


class NewerTurns(Parser):
    """Rows that are neither the user's nor an answer are OpenCode's own; `idle` closes a turn."""

    def feed(self, line: JsonObject) -> None:
        self.tally.is_recognized = True
        kind = fields.text(line.get("type"))
        if kind == "user":
            self._user(line)
        elif self.draft and kind == "assistant":
            self._answer(self.draft, line)
        elif self.draft and kind == "idle":
            self._see(self.draft, line)
            self.draft.sketch.status = _OUTCOMES.get(fields.text(line.get("outcome")), "error")
            self.close()

    def finish(self) -> None:
        """Settle turns without an end: only the last one can still be running."""
        for sketch in self.sketches[:-1]:
            if sketch.status == "running":
                sketch.status = "interrupted"

    def _user(self, line: JsonObject) -> None:
        created = fields.record(line.get("time")).get("created")
        draft = self.begin(fields.text(line.get("id")), fields.moment(created))
        draft.sketch.status = "running"
        draft.ask(fields.text(line.get("text")))
        for file in fields.records(line.get("files")):
            attach_file(draft, {**file, "type": "file"})

    def _answer(self, draft: Draft, line: JsonObject) -> None:
        self._see(draft, line)
        for block in fields.records(line.get("content")):
            kind = fields.text(block.get("type"))
            if kind == "text":
                draft.say(fields.text(block.get("text")))
            elif kind == "reasoning":
                draft.think(fields.text(block.get("text")))
            elif kind == "tool":
                add_tool(
                    draft,
                    fields.text(block.get("id")),
                    fields.text(block.get("name")),
                    fields.record(block.get("state")),
                )
        if line.get("error"):
            draft.sketch.status = "error"
        elif line.get("finish") not in {None, "tool-calls"}:
            draft.sketch.status = "completed"

    def _see(self, draft: Draft, line: JsonObject) -> None:
        draft.see(fields.moment(line.get("updated")))
