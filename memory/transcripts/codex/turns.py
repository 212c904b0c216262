"""Turns out of Codex rollouts of three generations: bare items, enveloped events, and completed items in pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory.transcripts import fields
from memory.transcripts.codex import words
from memory.transcripts.codex.calls import Calls
from memory.transcripts.conversation import Json, JsonObject
from memory.transcripts.drafts import Draft, Parser
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally

_ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"})
_BARE = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_STARTS = frozenset({"task_started", "turn_started"})
_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted"})


type _Place = Literal["item", "event", "message"]


@dataclass(slots=True)
class _Words:
    """One side's words in a turn, as each of the places has them that Codex writes them to."""

    texts: dict[_Place, list[str]] = field(default_factory=lambda: {"item": [], "event": [], "message": []})

    def best(self) -> list[str]:
        """Return what the first place has that has any."""
        return next(filter(None, self.texts.values()), [])

    def has(self, text: str) -> bool:
        return any(text in texts for texts in self.texts.values())


class CodexParser(Parser):
    """Reads what was on the screen (events, completed items), and what the model saw where there is nothing else.

    `replayed` gives the ids of a parent thread's turns: a fork starts with a copy of them.
    """

    def __init__(self, limits: Limits, tally: Tally, *, replayed: Callable[[str], frozenset[str]]) -> None:
        super().__init__(limits, tally)
        self._parents = replayed
        self._replayed: frozenset[str] = frozenset()
        self._thread = ""
        self._has_tasks = False
        self._aborted = ""
        self._reset()

    def _reset(self) -> None:
        self._asked, self._said, self._images = _Words(), _Words(), _Words()
        self._calls = Calls()
        self._room = 6 * self.limits.turn  # three sources of two sides

    def feed(self, line: JsonObject) -> None:
        kind = fields.text(line.get("type"))
        self.tally.is_recognized |= kind in _ENVELOPES or kind in _BARE or "record_type" in line
        when = fields.moment(line.get("timestamp"))
        if kind in _ENVELOPES:
            self._enveloped(kind, fields.record(line.get("payload")), when)
        elif kind:
            self._item(line, when)

    def close(self) -> None:
        if self.draft:
            self._settle(self.draft)
        super().close()
        self._reset()

    def finish(self) -> None:
        """Settle turns that no event ended: only the last one can still be running."""
        for sketch in self.sketches:
            if sketch.status == "running" and not (self._has_tasks and sketch is self.sketches[-1]):
                sketch.status = "interrupted" if self._has_tasks else "completed"

    def _enveloped(self, kind: str, payload: JsonObject, when: datetime | None) -> None:
        if kind == "session_meta":
            self._meta(payload)
        elif kind == "response_item":
            self._item(payload, when)
        elif kind == "event_msg":
            self._event(fields.text(payload.get("type")), payload, when)

    def _meta(self, payload: JsonObject) -> None:
        """Learn whose copy this may be. A second header is the parent's own."""
        thread = fields.text(payload.get("id"))
        self._thread = self._thread or thread
        named = (payload.get("forked_from_id"), payload.get("parent_thread_id"), thread)
        for parent in {fields.text(name) for name in named} - {"", self._thread}:
            self._replayed |= self._parents(parent)

    def _event(self, kind: str, payload: JsonObject, when: datetime | None) -> None:
        if kind in _STARTS:
            self._has_tasks = True
            self._open(fields.text(payload.get("turn_id")), when)
        elif kind in _ENDS:
            self._end(kind, when)
        elif kind == "thread_rolled_back":
            self._roll_back(fields.number(payload.get("num_turns")) or 0)
        elif kind == "item_completed":
            self._completed(fields.record(payload.get("item")), when)
        else:
            self._shown(kind, payload, when)

    def _shown(self, kind: str, payload: JsonObject, when: datetime | None) -> None:
        if kind == "user_message":
            text = fields.text(payload.get("message"))
            if self._asks(text, "event", when):
                images = payload.get("images")
                self._images.texts["event"] += (
                    [url for url in images if isinstance(url, str)] if isinstance(images, list) else []
                )
        elif kind == "agent_message":
            self._says(fields.text(payload.get("message")), "event", when)
        elif self.draft:
            self.draft.see(when)
            self._calls.event(self.draft, kind, payload)
            if kind == "error":
                self.draft.sketch.status = "error"

    def _completed(self, item: JsonObject, when: datetime | None) -> None:
        """Take an item of a paginated thread; the case of the type's name differs between producers."""
        kind = fields.text(item.get("type")).casefold()
        if kind == "usermessage":
            self._asks(fields.joined(item.get("content"), _TEXTS), "item", when)
        elif kind == "agentmessage":
            self._says(fields.joined(item.get("content"), _TEXTS), "item", when)
        elif self.draft:
            self.draft.see(when)
            self._calls.completed(self.draft, kind, item)

    def _item(self, item: JsonObject, when: datetime | None) -> None:
        kind = fields.text(item.get("type"))
        if kind == "message":
            self._message(fields.text(item.get("role")), item.get("content"), when)
        elif self.draft:
            self.draft.see(when)
            if kind == "reasoning":
                self.draft.think(fields.joined(item.get("summary"), frozenset({"summary_text"})))
            else:
                self._calls.item(self.draft, kind, item)

    def _message(self, role: str, content: Json, when: datetime | None) -> None:
        if role == "assistant":
            self._says(fields.joined(content, _TEXTS), "message", when)
        elif role == "user":
            self._user(content, when)

    def _user(self, content: Json, when: datetime | None) -> None:
        raw = (
            [content]
            if isinstance(content, str)
            else [fields.text(block.get("text")) for block in fields.records(content)]
        )
        if any(words.is_abort(text) for text in raw):
            self._aborted = "\n".join(self._asked.best())
            if self.draft and not self._has_tasks:
                self.draft.sketch.status = "interrupted"
            return
        text = "\n".join(filter(None, map(words.spoken, raw)))
        repeated, self._aborted = self._aborted, ""
        if not text or (text == repeated and not self._has_tasks):
            return
        if self._asks(text, "message", when):
            urls = (block.get("image_url") for block in fields.records(content) if block.get("type") == "input_image")
            self._images.texts["message"] += [fields.text(url) for url in urls]

    def _asks(self, text: str, place: _Place, when: datetime | None) -> bool:
        """Take a person's words; without task events they are what a turn starts with. False where no turn is open."""
        if not self._has_tasks and not (self.draft and self._asked.has(text) and not self._said.best()):
            self._open("", when)
        if self.draft is None:
            return False
        self.draft.see(when)
        self._keep(text, self._asked.texts[place], self.draft)
        return True

    def _says(self, text: str, place: _Place, when: datetime | None) -> None:
        if self.draft and text:
            self.draft.see(when)
            self._keep(text, self._said.texts[place], self.draft)

    def _keep(self, text: str, into: list[str], draft: Draft) -> None:
        """Hold words until the turn is over; every source may fill a turn on its own, and no more."""
        self._room -= len(text)
        if self._room < 0 and into:
            draft.is_truncated = True
        else:
            into.append(text)

    def _open(self, ident: str, when: datetime | None) -> None:
        draft = self.begin(ident, when)
        draft.sketch.status = "running"
        draft.sketch.is_replayed = bool(ident) and ident in self._replayed

    def _end(self, kind: str, when: datetime | None) -> None:
        if self.draft is None:
            return
        self.draft.see(when)
        if kind == "turn_aborted":
            self.draft.sketch.status = "interrupted"
        elif self.draft.sketch.status == "running":
            self.draft.sketch.status = "completed"
        self.close()

    def _roll_back(self, count: int) -> None:
        """Make the last turns that are still active inactive."""
        self.close()
        active = [sketch for sketch in self.sketches if sketch.is_active]
        for sketch in active[max(0, len(active) - count) :]:
            sketch.is_active = False

    def _settle(self, draft: Draft) -> None:
        """Choose among the sources once the turn is over."""
        first, *more = self._asked.best() or [""]
        draft.ask(first)
        for text in more:
            draft.add(text)
        for text in self._said.best():
            draft.say(text)
        for url in self._images.best():
            draft.attach("image", url[5:].partition(";")[0] if url.startswith("data:") else "")


_TEXTS = frozenset({"text", "Text", "input_text", "output_text"})
