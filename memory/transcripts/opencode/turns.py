"""Turns of OpenCode 1.x: a user's message, and the messages that name it as their parent, one a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject, Status
from memory.transcripts.drafts import Draft, Sketch
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally
from memory.transcripts.opencode.parts import add_part, attach_file, own_words
from memory.transcripts.opencode.rows import Source

_ABORTED = "MessageAbortedError"


@dataclass(slots=True)
class _Group:
    """A user's message and its answers, in order."""

    user: str
    answers: list[str] = field(default_factory=list)


class Turns:
    """Groups by parent, not by order: a prompt sent while another runs has its answers among the other's."""

    def __init__(self, source: Source, limits: Limits, tally: Tally) -> None:
        self._source = source
        self._limits = limits
        self._session = source.session()
        tally.is_recognized = True  # it is in the place where a session is kept
        self._mark = ""
        self._count = 0

    def drafts(self) -> Iterator[Draft]:
        """Yield each turn. The last one is held back until it is known to be the last: only that one may still run."""
        held: Draft | None = None
        for group in self._groups():
            if draft := self._draft(group):
                if held:
                    yield _over(held)
                held = draft
        if held:
            yield held

    def _groups(self) -> list[_Group]:
        groups: dict[str, _Group] = {}
        for ident in self._source.messages():
            message = self._source.message(ident)
            if message.get("role") == "user":
                groups[ident] = _Group(ident)
            elif group := groups.get(fields.text(message.get("parentID"))):
                group.answers.append(ident)
        return list(groups.values())

    def _draft(self, group: _Group) -> Draft | None:
        """Make a turn of a group; a compaction's mark is none, but leads to the turn that goes on after it."""
        parts = list(self._source.parts(group.user))
        if any(part.get("type") == "compaction" for part in parts):
            self._mark = group.user
            return None
        draft = self._begin(group.user)
        draft.ask(own_words(parts))
        for part in parts:
            attach_file(draft, part)
        if not draft.user and any(part.get("synthetic") is True for part in parts):
            draft.sketch.trigger = "compaction" if self._mark else "agent"
            draft.ids.add(self._mark or group.user)
        self._mark = ""
        for answer in group.answers:
            self._answer(draft, answer)
        return draft

    def _begin(self, ident: str) -> Draft:
        message = self._source.message(ident)
        created = fields.record(message.get("time")).get("created")
        self._count += 1
        draft = Draft(Sketch(self._count, ident, status="running"), self._limits)
        draft.see(fields.moment(created))
        draft.sketch.is_active = not self._session.reverted or ident < self._session.reverted
        draft.sketch.is_replayed = self._is_copy(fields.number(created))
        return draft

    def _is_copy(self, created: int | None) -> bool:
        """A fork has new ids for its copies, but keeps their times: they are older than the fork."""
        return "(fork #" in self._session.title and created is not None and created < self._session.created

    def _answer(self, draft: Draft, ident: str) -> None:
        message = self._source.message(ident)
        if message.get("summary") is True:
            return
        draft.see(fields.moment(message.get("updated")))
        for part in self._source.parts(ident):
            add_part(draft, part)
        draft.sketch.status = _status(message)


def _status(message: JsonObject) -> Status:
    error = fields.record(message.get("error"))
    if error:
        return "interrupted" if error.get("name") == _ABORTED else "error"
    is_over = fields.record(message.get("time")).get("completed") and message.get("finish") != "tool-calls"
    return "completed" if is_over else "running"


def _over(draft: Draft) -> Draft:
    if draft.sketch.status == "running":
        draft.sketch.status = "interrupted"
    return draft
