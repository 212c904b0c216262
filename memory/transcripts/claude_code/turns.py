"""Turns out of the lines that Claude Code writes: one a prompt, a tool result, or a block of an answer."""

from __future__ import annotations

from collections.abc import Callable

from memory.transcripts import fields
from memory.transcripts.claude_code import words
from memory.transcripts.claude_code.branches import Branches
from memory.transcripts.conversation import Json, JsonObject, Trigger
from memory.transcripts.drafts import Draft, Parser
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally

_KNOWN = frozenset({"user", "assistant", "attachment", "system", "summary", "queue-operation", "file-history-snapshot"})


class ClaudeParser(Parser):
    """Claude Code's format is observed, not promised: unknown types of lines are passed over."""

    def __init__(self, limits: Limits, tally: Tally, *, side_file: Callable[[str], str], is_side_chain: bool) -> None:
        super().__init__(limits, tally)
        self._side_file = side_file
        self._is_side_chain = is_side_chain
        self._branches = Branches()
        self._command: JsonObject | None = None
        self._message = ""
        self._said: tuple[str, str] = ("", "")
        self._stop = ""

    def feed(self, line: JsonObject) -> None:
        kind = fields.text(line.get("type"))
        self.tally.is_recognized |= kind in _KNOWN
        if line.get("isSidechain") is True and not self._is_side_chain:
            self._hold(line)
        elif kind == "user":
            self._user(line)
        elif kind == "assistant":
            self._assistant(line)
        elif kind in {"attachment", "system"}:
            self._branches.pass_through(line)
            self._attachment(line)

    def finish(self) -> None:
        """A conversation that stops in the middle of an answer is still running, or was killed."""
        if self.sketches and self._stop == "tool_use" and self.sketches[-1].status == "completed":
            self.sketches[-1].status = "running"

    def _user(self, line: JsonObject) -> None:
        content = fields.record(line.get("message")).get("content")
        results = [block for block in fields.records(content) if block.get("type") == "tool_result"]
        if results:
            self._results(line, results)
        elif line.get("isMeta") is True or line.get("isCompactSummary") is True:
            self._hold(line)
        else:
            self._prompt(line, content)

    def _prompt(self, line: JsonObject, content: Json) -> None:
        text = _spoken(content)
        images = [block for block in fields.records(content) if block.get("type") == "image"]
        kind = "prompt" if images and not text else words.kind(text)
        origin = fields.text(fields.record(line.get("origin")).get("kind"))
        if kind == "notification" or origin == "task-notification":
            self._start(line, "task-notification")
        elif origin == "coordinator":
            self._start(line, "agent")
        elif kind == "prompt":
            self._ask(self._start(line, "user"), text, images)
        else:
            self._aside(line, kind)

    def _aside(self, line: JsonObject, kind: words.Kind) -> None:
        """Take a line that is not a prompt. A command becomes one only if the model answers it."""
        self._hold(line)
        if kind in {"command", "command-output"}:
            self._command = line if kind == "command" else None
        elif kind == "interrupt" and self.draft:
            self._see(line)
            self.draft.sketch.status = "interrupted"

    def _ask(self, draft: Draft, text: str, images: list[JsonObject]) -> None:
        draft.ask(text)
        for image in images:
            draft.attach("image", fields.text(fields.record(image.get("source")).get("media_type")))

    def _start(self, line: JsonObject, trigger: Trigger) -> Draft:
        draft = self.begin(fields.text(line.get("uuid")), fields.moment(line.get("timestamp")), trigger)
        if prompt := fields.text(line.get("promptId")):  # by this its hooks name the turn
            draft.ids.add(prompt)
        draft.sketch.is_replayed = bool(line.get("forkedFrom"))
        self._branches.prompt(line, draft.sketch, self.sketches)
        self._command = None
        self._message = self._stop = ""
        return draft

    def _assistant(self, line: JsonObject) -> None:
        if self._command is not None:
            command, self._command = self._command, None
            self._start(command, "user").ask(
                words.command(_spoken(fields.record(command.get("message")).get("content")))
            )
        if self.draft is None:
            return
        self._hold(line)
        self._see(line)
        message = fields.record(line.get("message"))
        if fields.text(message.get("id")) != self._message:
            self._message, self._said = fields.text(message.get("id")), ("", "")
        self._stop = fields.text(message.get("stop_reason")) or self._stop
        self._blocks(self.draft, message.get("content"))
        if self.draft.sketch.status != "interrupted":
            self.draft.sketch.status = "error" if line.get("isApiErrorMessage") is True else "completed"

    def _blocks(self, draft: Draft, content: Json) -> None:
        if isinstance(content, str):
            draft.say(content)
        for block in fields.records(content):
            kind = fields.text(block.get("type"))
            if kind == "text":
                self._words(draft.assistant, draft.say, kind, fields.text(block.get("text")))
            elif kind == "thinking":
                self._words(draft.thinking, draft.think, kind, fields.text(block.get("thinking")))
            elif kind == "tool_use":
                draft.call(fields.text(block.get("id")), fields.text(block.get("name")), block.get("input"))

    def _words(self, kept: list[str], keep: Callable[[str], None], kind: str, text: str) -> None:
        """Keep a block. Older versions wrote the same block again whenever it had grown: the last one counts."""
        before_kind, before = self._said
        if kept and self._message and before and before_kind == kind and text.startswith(before):
            kept.pop()
        keep(text)
        self._said = (kind, text)

    def _results(self, line: JsonObject, results: list[JsonObject]) -> None:
        self._hold(line)
        if self.draft is None:
            return
        self._see(line)
        extra = fields.record(line.get("toolUseResult"))
        for result in results:
            key = fields.text(result.get("tool_use_id"))
            stored = fields.text(extra.get("persistedOutputPath"))
            output = (self._side_file(stored) if stored else "") or fields.joined(result.get("content"))
            self.draft.answer(key, output, is_error=result.get("is_error") is True)
            if (agent := fields.text(extra.get("agentId"))) and key in self.draft.calls:
                self.draft.calls[key].subagent = f"agent-{agent}"

    def _attachment(self, line: JsonObject) -> None:
        """Of attachments only prompts count that were typed while the agent was busy."""
        self._hold(line)
        inner = fields.record(line.get("attachment"))
        if inner.get("type") != "queued_command" or inner.get("commandMode") not in {None, "prompt"}:
            return
        text = _spoken(inner.get("prompt"))
        if words.kind(text) != "prompt":
            return
        if self.draft is None:
            self._ask(self._start(line, "user"), text, [])
        else:
            self.draft.add(text)
            self._see(line)

    def _hold(self, line: JsonObject) -> None:
        """Let the id of any line lead to the turn that it stands in: anchors may name any of them."""
        if self.draft and (ident := fields.text(line.get("uuid"))):
            self.draft.ids.add(ident)

    def _see(self, line: JsonObject) -> None:
        if self.draft:
            self.draft.see(fields.moment(line.get("timestamp")))


def _spoken(content: Json) -> str:
    """Join what a person said in a content: injected blocks may stand before the words, or be blocks of their own."""
    if isinstance(content, str):
        return words.spoken(content)
    blocks = (words.spoken(fields.text(block.get("text"))) for block in fields.records(content))
    return "\n".join(filter(None, blocks))
