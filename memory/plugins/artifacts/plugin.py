"""The memory plugin "artifacts": keeps files and images that agents hand over, and lets consumers read them and facts."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from threading import Event

from memory.plugins.artifacts import reading
from memory.plugins.desk import desk
from memory.plugins.feed import ChangeFeedSource, is_wanted
from memory.plugins.kinds import ARTIFACTS
from memory.service.plugins import ChangeFeed
from memory.service.types import Call, Meta, Operation, Request
from memory.service.values import Json

_LOOP = "agent-loop"
_POINTS = {"tool/memory-update", "session/turn-end"}


@dataclass(frozen=True, slots=True)
class ArtifactsPlugin:
    """Update: files that a model names, images of a turn. Retrieve: artifacts and facts of the scope, for consumers."""

    id: str = ARTIFACTS
    _feed: ChangeFeedSource = field(default=ChangeFeedSource(ARTIFACTS))

    def accepts(self, call: Call) -> bool:
        """Take what an agent's loop tells, and nothing that it asks: files are no recall."""
        is_loop = call.meta.source.type == _LOOP
        if call.operation is Operation.UPDATE:
            return is_loop and call.meta.attributes.get("point") in _POINTS
        return is_wanted(call) and not (is_loop and call.operation is Operation.RETRIEVE)

    async def update(self, request: Request) -> Json:
        """Return `{"artifacts": [receipt], "errors": [{index, path, error}]}` (see memory.artifacts.ingest).

        The same file in the same content again is the same artifact. Raises ArtifactError where nothing could be taken.
        """
        from memory.artifacts import ingest  # with the finding of projects and settings: for who updates only

        stop = Event()
        try:
            return await desk.do(ingest.take, request, stop)
        finally:
            stop.set()  # a cancelled call leaves its thread behind, which looks at this between any two pieces

    async def retrieve(self, request: Request) -> Json:
        """Return the artifacts or the facts that `data` asks for (see memory.plugins.artifacts.reading), else None.

        Raises BadRequest.
        """
        return await desk.do(reading.answer, request)

    def open_changes(self, meta: Meta, after: str | None) -> AbstractAsyncContextManager[ChangeFeed]:
        return self._feed.open_changes(meta, after)
