"""OpenCode: messages with their parts, as its plugin reads them from OpenCode; a turn may come many times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memory.capture.document import Document
from memory.capture.platforms.base import Compaction, Ended, Event, Reading
from memory.journal.anchors import Kind
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject, Turn
from memory.transcripts.limits import LIMITS
from memory.transcripts.lines import Tally
from memory.transcripts.opencode.parts import own_words
from memory.transcripts.opencode.rows import Session
from memory.transcripts.opencode.turns import Turns

anchor_kind: Kind = "db"
agent_name = "OpenCode"

_QUOTED = re.compile(r'"([^"]*)"', re.DOTALL)


def place(document: Document, *, after: int) -> Sequence[Event]:
    """Number by order. A message that has grown is another event: an answer comes again when it is complete."""
    found = [(ident, event) for event in document.events if (ident := _id(event))]
    return [Event(after + number, event, key=_key(ident, event)) for number, (ident, event) in enumerate(found)]


def read(events: Sequence[Event], document: Document) -> Reading:
    """Read whole turns; one that still runs is not kept, as the plugin sends it again when it is over."""
    messages = {_id(event.data): event.data for event in events}
    drafts = Turns(_Messages(messages), LIMITS, Tally()).drafts()
    turns = [draft.freeze(draft.sketch) for draft in drafts]
    ended = [_ended(turn, document) for turn in turns if turn.status != "running"]
    is_child = document.is_of_subagent
    return Reading(
        ended=tuple(ended),
        compactions=tuple(Compaction(text) for text in _summaries(messages.values())),
        learnings=tuple(one.turn.assistant[-1] for one in ended if is_child and one.turn.assistant),
    )


class _Messages:
    """A session in what was delivered, as its tables would tell it."""

    def __init__(self, messages: dict[str, JsonObject]) -> None:
        self._messages = messages

    def session(self) -> Session:
        return Session()

    def messages(self) -> Iterator[str]:
        return iter(self._messages)

    def message(self, ident: str) -> JsonObject:
        info = _info(self._messages.get(ident, {}))
        time = fields.record(info.get("time"))
        return {**info, "updated": time.get("completed") or time.get("created")}

    def parts(self, message: str) -> Iterator[JsonObject]:
        return fields.records(self._messages.get(message, {}).get("parts"))


def _info(event: JsonObject) -> JsonObject:
    return fields.record(event.get("info"))


def _id(event: JsonObject) -> str:
    return fields.text(_info(event).get("id"))


def _key(ident: str, event: JsonObject) -> str:
    completed = fields.record(_info(event).get("time")).get("completed")
    return f"message:{ident}:{len(list(fields.records(event.get('parts'))))}:{completed or ''}"[:200]


def _ended(turn: Turn, document: Document) -> Ended:
    """`opencode run "two words"` keeps the quotes that the shell took; one pair around everything is none of the words."""
    quoted = _QUOTED.fullmatch(turn.user.strip())
    return Ended(turn=replace(turn, user=quoted[1]) if quoted else turn, anchor_path=document.transcript)


def _summaries(messages: Iterable[JsonObject]) -> Iterator[str]:
    for message in messages:
        if _info(message).get("summary") is True:
            yield own_words(fields.records(message.get("parts")))
