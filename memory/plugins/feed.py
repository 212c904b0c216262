"""MemDock's change feed as the feed of a plugin: the changes of some kinds, in one project or in all."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from memory import changes
from memory.api.shapes import ChangeJson
from memory.feed import feed
from memory.plugins.desk import desk
from memory.plugins.scopes import name_of
from memory.service.errors import MemorySubscriptionError
from memory.service.plugins import EVERYWHERE, PluginChange
from memory.service.types import Call, Meta, Operation
from memory.service.values import Json

SKIPPED = 500
"""Changes of others after which a feed says that it came so far."""

RELAY = "relay"
"""The attribute of a subscription that carries foreign changes into the feed: our own are there already."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open feed."""

    cursor: str
    told: AsyncIterator[PluginChange]

    def __aiter__(self) -> AsyncIterator[PluginChange]:
        return self.told


@dataclass(frozen=True, slots=True)
class ChangeFeedSource:
    """Follows the feed for the plugin of this id; a cursor is the id of a change."""

    plugin_id: str

    @asynccontextmanager
    async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[Opened]:
        """Open the feed after a cursor, or at its end. Raises MemorySubscriptionError for one that is not kept."""
        since = await desk.do(_start, after)
        async with (
            aclosing(feed.current().follow(since)) as batches,
            aclosing(self._told(since, batches, meta.scope)) as told,
        ):
            yield Opened(str(since), told)

    async def _told(
        self, since: int, batches: AsyncGenerator[list[ChangeJson]], scope: str
    ) -> AsyncGenerator[PluginChange]:
        told, place = since, _Place(scope)
        try:
            async for batch in batches:
                await place.look(batch)
                for change in batch:
                    if change["pluginId"] == self.plugin_id and place.has(change):
                        told = change["id"]
                        yield _as_told(change)
                if batch[-1]["id"] >= told + SKIPPED:
                    told = batch[-1]["id"]
                    yield PluginChange(str(told), is_checkpoint=True)
        except changes.ResetRequired as exc:
            raise _lost(told) from exc


class _Place:
    """Where changes have to be; a scope may become a project's, or another one's, while it is followed."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._project = ""

    async def look(self, batch: Iterable[ChangeJson]) -> None:
        if self._scope != EVERYWHERE and (not self._project or _may_rename(batch)):
            self._project = await desk.do(name_of, self._scope)

    def has(self, change: ChangeJson) -> bool:
        if self._scope == EVERYWHERE:
            return True
        return bool(self._project) and change["project"] == self._project


def is_wanted(call: Call) -> bool:
    """Tell whether a call concerns a plugin of ours: all do but the following of what our feed does not know."""
    return call.operation is not Operation.SUBSCRIBE or call.meta.attributes.get(RELAY) is not True


def _start(after: str | None) -> int:
    if after is None:
        return changes.latest()
    try:
        if not (after.isascii() and after.isdigit() and len(after) < 19):
            raise changes.ResetRequired(after)
        changes.check(int(after))
    except changes.ResetRequired as exc:
        raise _lost(after) from exc
    return int(after)


def _lost(cursor: int | str) -> MemorySubscriptionError:
    return MemorySubscriptionError(f"the change feed does not reach back to {cursor}", reset_required=True)


def _may_rename(batch: Iterable[ChangeJson]) -> bool:
    return any(change["kind"].startswith("project.") for change in batch)


def _as_told(change: ChangeJson) -> PluginChange:
    metadata = change["metadata"]
    told: dict[str, Json] = {"kind": metadata["kind"], "project": metadata["project"], "title": metadata["title"]}
    return PluginChange(change["cursor"], change["memoryId"], told)
