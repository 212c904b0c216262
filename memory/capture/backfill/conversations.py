"""Reads one conversation of a store: first its outline, then the words of those turns that are wanted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.capture import rendering
from memory.capture.backfill import captures
from memory.capture.backfill.stores.base import Facts
from memory.disk import Tree
from memory.engram.redaction import redact, redact_all
from memory.transcripts import registry
from memory.transcripts.conversation import Tool, Turn
from memory.transcripts.drafts import Draft, Sketch
from memory.transcripts.limits import LIMITS
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location
from memory.transcripts.readers import Pass

_FIRST, _LAST = 2000, 2200
"""Years."""
_SUMMARIZERS = (
    "You are a third-person note-taker. You will receive a transcript of ONE conversation turn",
    "You are an outside observer who keeps notes of what happens between a person and",
)
"""How MemSearch and MemDock ask an agent for a summary, which leaves conversations of its own behind."""


@dataclass(slots=True)
class Outline:
    """A turn without its words. `named` are those of the ids that were looked for by which it goes."""

    sketch: Sketch
    ident: str
    named: frozenset[str]
    asked: str
    length: int
    is_answered: bool

    @property
    def is_wanted(self) -> bool:
        """Tell whether the turn is one of this conversation, and was not taken back."""
        return self.sketch.is_active and not self.sketch.is_replayed and not self.sketch.is_hidden


@dataclass(slots=True)
class Reading:
    """A conversation that is held open."""

    facts: Facts
    location: Location
    passes: Pass
    tally: Tally = field(default_factory=Tally)

    def outlines(self, is_known: Callable[[str], bool]) -> list[Outline]:
        """Go through all turns; what their sketches say is final."""
        return [self._outline(draft, is_known) for draft in self.passes(self.tally)]

    def turns(self, wanted: list[Outline]) -> Iterator[Turn]:
        """Go through it again, and yield the words of these; what was written anew in between is left out."""
        left = {one.sketch.number: one for one in wanted}
        for draft in self.passes(Tally()) if left else ():
            one = left.pop(draft.sketch.number, None)
            if one and _ident(draft.freeze(draft.sketch)) == one.ident:
                turn, over = draft.freeze(one.sketch), ended(one, self.facts)
                yield _redacted(replace(turn, id=one.ident, started=plausible(turn.started) or over, ended=over))
            if not left:
                return

    def _outline(self, draft: Draft, is_known: Callable[[str], bool]) -> Outline:
        turn = draft.freeze(draft.sketch)
        question = redact(rendering.question(turn))
        ident = _ident(turn)
        return Outline(
            sketch=draft.sketch,
            ident=ident,
            named=frozenset(one for one in {ident, *draft.ids} if is_known(one)),
            asked="" if question.lstrip().startswith(_SUMMARIZERS) else captures.digest(question),
            length=len(question),
            is_answered=bool(turn.assistant or turn.tools or turn.user_more),
        )


@contextmanager
def opened(tree: Tree, location: Location, facts: Facts) -> Iterator[Reading]:
    """Hold a conversation open. Raises `disk.DiskError` and `places.Unavailable`."""
    with registry.reader(location.platform).opened(tree, location, LIMITS) as passes:
        yield Reading(facts, location, passes)


def ended(outline: Outline, facts: Facts) -> datetime | None:
    """Return when a turn was over; for one without any time, when its conversation began."""
    return plausible(outline.sketch.ended) or facts.started


def plausible(when: datetime | None) -> datetime | None:
    """Return a moment at which an agent may have worked; anybody may have written any other one."""
    return when if when and _FIRST <= when.year <= _LAST else None


def _ident(turn: Turn) -> str:
    """Return the agent's own id of a turn; where it gave none, one of its start, or its place, and its question."""
    if turn.id:
        return turn.id.replace("\0", "\ufffd")
    when = turn.started.isoformat() if turn.started else str(turn.number)
    return hashlib.sha256(f"{when} {turn.user}".encode("utf-8", "replace")).hexdigest()[:16]


def _redacted(turn: Turn) -> Turn:
    """Take out what a delivery of a live turn would be without (`memory.capture.document.parse`)."""
    return replace(
        turn,
        user=_clean(turn.user),
        user_more=tuple(map(_clean, turn.user_more)),
        assistant=tuple(map(_clean, turn.assistant)),
        thinking=(),
        tools=tuple(map(_redacted_tool, turn.tools)),
    )


def _redacted_tool(tool: Tool) -> Tool:
    output = tool.output and _clean(tool.output)
    return replace(tool, name=_clean(tool.name), input=redact_all(tool.input), output=output)


def _clean(text: str) -> str:
    return str(redact_all(text))
