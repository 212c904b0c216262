"""The memory plugin "observations": saves what agents want to remember, and answers from saved memories and prompts."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from memory.plugins import asking
from memory.plugins.desk import desk
from memory.plugins.feed import ChangeFeedSource, is_wanted
from memory.plugins.kinds import OBSERVATIONS
from memory.plugins.observations import saving
from memory.service.plugins import ChangeFeed
from memory.service.types import Call, Meta, Operation, Request
from memory.service.values import Json

_KINDS = frozenset({"observation", "prompt"})
_POINTS = {None, "tool/memory-update"}


@dataclass(frozen=True, slots=True)
class ObservationsPlugin:
    """Update: messages of the tool `memory_update`, or an observation. Retrieve: hits among memories and prompts."""

    id: str = OBSERVATIONS
    _feed: ChangeFeedSource = field(default=ChangeFeedSource(OBSERVATIONS))

    def accepts(self, call: Call) -> bool:
        """Take updates of the model's tool or without a point; a turn is no memory that anybody wanted to keep."""
        if call.operation is Operation.UPDATE:
            return call.meta.attributes.get("point") in _POINTS
        return is_wanted(call)

    async def update(self, request: Request) -> Json:
        """Return `{"items": [{ref, outcome}]}`, or None for data with neither messages nor an observation.

        Raises BadRequest for a scope that is no project's, and EngramError for what cannot be saved.
        """
        return await desk.do(saving.save, request)

    async def retrieve(self, request: Request) -> Json:
        """Return `{"items": [hit], "total": n}`, or None where nobody asks, or nothing is found."""
        asked = asking.question(request)
        return await desk.do(asking.answer, request, asked, _KINDS) if asked else None

    def open_changes(self, meta: Meta, after: str | None) -> AbstractAsyncContextManager[ChangeFeed]:
        return self._feed.open_changes(meta, after)
