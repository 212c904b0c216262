"""The memory plugin "journal": takes turns of agents in, and answers from journals, sessions and documents."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from memory.plugins import asking
from memory.plugins.desk import desk
from memory.plugins.feed import ChangeFeedSource, is_wanted
from memory.plugins.journal import turns
from memory.plugins.kinds import JOURNAL
from memory.service.plugins import ChangeFeed
from memory.service.types import Call, Meta, Operation, Request
from memory.service.values import Json

_KINDS = frozenset({"entry", "session", "document"})
_POINTS = {None, "session/turn-end"}


@dataclass(frozen=True, slots=True)
class JournalPlugin:
    """Update: a turn that ended, or a capture document. Retrieve: hits among entries, sessions and documents."""

    id: str = JOURNAL
    _feed: ChangeFeedSource = field(default=ChangeFeedSource(JOURNAL))

    def accepts(self, call: Call) -> bool:
        """Take updates at the end of a turn or without a point; a tool's call is no turn."""
        if call.operation is Operation.UPDATE:
            return call.meta.attributes.get("point") in _POINTS
        return is_wanted(call)

    async def update(self, request: Request) -> Json:
        """Return what became of the delivery (contract section 6), None for data without events.

        The same delivery again changes nothing. Raises BadRequest and BadDocument.
        """
        return await desk.do(turns.take, request)

    async def retrieve(self, request: Request) -> Json:
        """Return `{"items": [hit], "total": n}`, or None where nobody asks, or nothing is found."""
        asked = asking.question(request)
        return await desk.do(asking.answer, request, asked, _KINDS) if asked else None

    def open_changes(self, meta: Meta, after: str | None) -> AbstractAsyncContextManager[ChangeFeed]:
        return self._feed.open_changes(meta, after)
