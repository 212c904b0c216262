"""Turns while they are read: a sketch that is always kept, and the words, which are kept only for turns to be shown."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from memory.transcripts.conversation import Attachment, Json, JsonObject, Status, Tool, Trigger, Turn
from memory.transcripts.limits import Limits, clipped
from memory.transcripts.lines import Tally
from memory.transcripts.redaction import clean, clean_value


@dataclass(slots=True)
class Sketch:
    """What is known of a turn without its words. A later line may still change it: a rewind, say."""

    number: int
    id: str
    trigger: Trigger = "user"
    status: Status = "completed"
    started: datetime | None = None
    ended: datetime | None = None
    is_active: bool = True
    is_replayed: bool = False
    is_hidden: bool = False


@dataclass(slots=True)
class Call:
    """A tool call whose result may still come."""

    name: str
    input: Json
    output: str | None = None
    size: int = 0
    is_error: bool = False
    subagent: str = ""

    def frozen(self) -> Tool:
        return Tool(self.name, self.input, self.output, self.size, self.is_error, self.subagent)


@dataclass(slots=True)
class Draft:
    """A turn that grows line by line. Texts are cleaned and cut as they come in, so that it stays small."""

    sketch: Sketch
    limits: Limits
    ids: set[str] = field(default_factory=set)
    user: str = ""
    user_more: list[str] = field(default_factory=list)
    assistant: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    attachments: list[Attachment] = field(default_factory=list)
    is_truncated: bool = False
    room: int = 0

    def __post_init__(self) -> None:
        self.room = self.limits.turn
        if self.sketch.id:
            self.ids.add(self.sketch.id)

    def see(self, when: datetime | None) -> None:
        """Note that something of this turn happened then."""
        if when is not None:
            self.sketch.started = self.sketch.started or when
            self.sketch.ended = max(when, self.sketch.ended or when)

    def ask(self, words: str) -> None:
        """Take the words that the turn starts with."""
        self.user = self._taken(words)

    def add(self, words: str) -> None:
        """Take words that were typed while the agent worked."""
        self._append(self.user_more, words)

    def say(self, words: str) -> None:
        self._append(self.assistant, words)

    def think(self, words: str) -> None:
        self._append(self.thinking, words)

    def attach(self, kind: str, mime: str = "", name: str = "") -> None:
        if len(self.attachments) < self.limits.tools:
            self.attachments.append(Attachment(clean(kind), clean(mime), clean(name)))

    def call(self, key: str, name: str, arguments: Json) -> None:
        """Take a tool call; `key` is what its result will name. A call that comes twice is one call."""
        if key in self.calls:
            self.calls[key].input = self._input(arguments)
        elif len(self.calls) < self.limits.tools:
            self.calls[key] = Call(clean(name), self._input(arguments))
        else:
            self.is_truncated = True

    def answer(self, key: str, output: str, *, is_error: bool = False) -> None:
        """Take the result of a call; one without a call is left out."""
        if call := self.calls.get(key):
            words = clean(output)
            call.size, call.is_error = len(words), is_error
            call.output = self._roomy(clipped(words, self.limits.output))

    def freeze(self, sketch: Sketch) -> Turn:
        """Make the turn out of the words here and of what is known by the end of the conversation."""
        return Turn(
            id=clean(sketch.id),
            number=sketch.number,
            trigger=sketch.trigger,
            user=self.user,
            user_more=tuple(self.user_more),
            assistant=tuple(self.assistant),
            thinking=tuple(self.thinking),
            tools=tuple(call.frozen() for call in self.calls.values()),
            attachments=tuple(self.attachments),
            status=sketch.status,
            started=sketch.started,
            ended=sketch.ended,
            is_active=sketch.is_active,
            is_replayed=sketch.is_replayed,
            is_truncated=self.is_truncated,
        )

    def _append(self, texts: list[str], words: str) -> None:
        if len(texts) >= self.limits.tools:
            self.is_truncated = True
        elif taken := self._taken(words):
            texts.append(taken)

    def _taken(self, words: str) -> str:
        words = clean(words)
        if len(words) > self.limits.text:
            self.is_truncated = True
        return self._roomy(clipped(words, self.limits.text))

    def _input(self, arguments: Json) -> Json:
        value = clean_value(arguments)
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if len(written) > min(self.limits.input, self.room):
            self.is_truncated = True
            return self._roomy(clipped(written, self.limits.input))
        self.room -= len(written)
        return value

    def _roomy(self, words: str) -> str:
        """Cut a text to what this turn may still hold."""
        if len(words) > self.room:
            self.is_truncated = True
            words = words[: self.room]
        self.room -= len(words)
        return words


class Parser(ABC):
    """Makes turns out of the lines of one conversation, in one pass and with one turn in hand."""

    def __init__(self, limits: Limits, tally: Tally) -> None:
        self.limits = limits
        self.tally = tally
        self.sketches: list[Sketch] = []
        self.draft: Draft | None = None
        self._done: list[Draft] = []

    def drafts(self, lines: Iterable[JsonObject]) -> Iterator[Draft]:
        """Yield each turn when it is over. Sketches are final only when all are out."""
        for line in lines:
            self.feed(line)
            yield from self._taken()
        self.close()
        self.finish()
        yield from self._taken()

    @abstractmethod
    def feed(self, line: JsonObject) -> None:
        """Take in one line."""

    def finish(self) -> None:  # noqa: B027 - most have nothing left to do
        """Look back once all lines are in."""

    def begin(self, ident: str, when: datetime | None, trigger: Trigger = "user") -> Draft:
        """Start the next turn."""
        self.close()
        sketch = Sketch(len(self.sketches) + 1, ident, trigger)
        self.sketches.append(sketch)
        self.draft = Draft(sketch, self.limits)
        self.draft.see(when)
        return self.draft

    def close(self) -> None:
        """End the turn in hand."""
        if self.draft:
            self._done.append(self.draft)
        self.draft = None

    def _taken(self) -> list[Draft]:
        done, self._done = self._done, []
        return done
