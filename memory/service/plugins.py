"""What a memory plugin is to the service: one protocol, and one for each ability that not every plugin has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from memory.service.types import Call, Meta, Request
from memory.service.values import Json


class MemoryPlugin(Protocol):
    """Something that remembers. The service never looks into `data`, and never asks a plugin by its id.

    * `id` is stable and says whose memory it is; two plugins with one id cannot be registered.
    * `update` takes something in, `retrieve` answers a question; both return any JSON value, None for "nothing". What
      they do not understand they refuse by raising; the message is shown to people.
    * Each call has a copy of the request for itself. `request.meta.attributes["point"]` says what happened to an agent.
    * A call that takes longer than its deadline, or whose caller gives up, is cancelled: `asyncio.CancelledError` is
      raised at its next await, and has to be let through. Work in a thread has to look for itself whether it goes on;
      code that blocks belongs into `asgiref.sync.sync_to_async`.
    * Calls of different agents come at the same time.
    * An update may come twice when nobody heard of its end: the same `request.meta.request_id` means the same update.
    """

    @property
    def id(self) -> str: ...

    async def update(self, request: Request) -> Json: ...

    async def retrieve(self, request: Request) -> Json: ...


@runtime_checkable
class Filtering(Protocol):
    """A plugin that wants some calls only. Quick, without effects; whatever it raises is the plugin's failed outcome."""

    def accepts(self, call: Call) -> bool: ...


@dataclass(frozen=True, slots=True)
class PluginChange:
    """One change as a plugin tells it; its cursor is any text that is not empty.

    A checkpoint is no change: it says that everything up to its cursor was told, so that a feed of which few changes
    concern anybody does not fall behind what its plugin keeps.
    """

    cursor: str
    memory_id: str = ""
    metadata: Mapping[str, Json] | None = None
    is_checkpoint: bool = False


class ChangeFeed(Protocol):
    """An open feed: where it begins, and the changes after that, in order, one when it is asked for."""

    @property
    def cursor(self) -> str:
        """Return where the feed begins: after a cursor that was given, that one; else the end of what there is now."""
        ...

    def __aiter__(self) -> AsyncIterator[PluginChange]: ...


EVERYWHERE = "*"
"""The scope of a subscription to changes in all scopes; nobody asks or tells anything in it."""


@runtime_checkable
class ChangeSource(Protocol):
    """A plugin whose memory can be followed.

    `meta.scope` says whose changes are wanted; MemDock's own consumers want those of all scopes, and say `EVERYWHERE`.
    The feed ends, and its block is left, when nobody wants it any more; whatever it holds is given back there. Raises
    `MemorySubscriptionError`: `retryable` when it only got disconnected, `reset_required` when it does not know the
    cursor any more. A feed that simply ends is not opened again.
    """

    def open_changes(self, meta: Meta, after: str | None) -> AbstractAsyncContextManager[ChangeFeed]: ...
