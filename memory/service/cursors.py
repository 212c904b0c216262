"""How far a consumer is, durably: one cursor for each (consumer, subscription key, scope, plugin)."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import Protocol, runtime_checkable

from django.db import connection
from django.db.models import F, Q
from django.utils import timezone

from memory.models import SubscriptionCursor
from memory.service.desk import books
from memory.service.errors import BadRequest, LeaseLost
from memory.service.values import copied

LEASE_S = 30
"""Seconds after which another process may take over from one that died without a word."""

# Done after each change; made by Django, it takes seven times as long, most of what a change costs.
_SAVE = (
    "UPDATE memory_subscriptioncursor SET cursor = %s, failures = 0, is_stopped = %s, updated_at = %s"
    " WHERE key = %s AND lease_owner IN ('', %s)"
)

_LONGEST = 200
"""Characters of a name that its column shows; the key stands for the whole name."""


class CursorStore(Protocol):
    """The cursors of one consumer, by plugin. `delete` only after the consumer read everything anew."""

    async def load(self, plugin_id: str) -> str | None: ...

    async def save(self, plugin_id: str, cursor: str) -> None: ...

    async def delete(self, plugin_id: str) -> None: ...


@runtime_checkable
class Leasing(Protocol):
    """A store that lets one process at a time follow a plugin for a consumer."""

    async def acquire(self, plugin_id: str) -> bool:
        """Take or renew the lease; tell whether it is ours for the next LEASE_S seconds."""
        ...

    async def release(self, plugin_id: str) -> None: ...


@runtime_checkable
class Reporting(Protocol):
    """A store that shows people why a subscription broke."""

    async def report(self, plugin_id: str, error: str, *, is_stopped: bool) -> None: ...


@dataclass(slots=True)
class MemoryCursorStore:
    """Cursors for as long as the process runs: for tests, and for consumers that begin anew each time."""

    cursors: dict[str, str] = field(default_factory=dict)

    async def load(self, plugin_id: str) -> str | None:
        return self.cursors.get(plugin_id)

    async def save(self, plugin_id: str, cursor: str) -> None:
        self.cursors[plugin_id] = cursor

    async def delete(self, plugin_id: str) -> None:
        self.cursors.pop(plugin_id, None)


@dataclass(frozen=True, slots=True)
class DatabaseCursorStore:
    """Cursors in MemDock's database, with a lease.

    The three names are taken exactly as they are: "repo" and " repo" differ. Raises BadRequest for a blank one. What
    is saved after the lease went to somebody else is refused with LeaseLost, so that no cursor ever goes back. An
    `owner` that is the same after a restart takes its lease up at once; then only one process may use it.
    """

    consumer_id: str
    subscription_key: str
    scope: str
    owner: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(4)}")

    def __post_init__(self) -> None:
        for name in ("consumer_id", "subscription_key", "scope"):
            text = str(copied(getattr(self, name), name))
            if not text.strip():
                raise BadRequest(f"{name} is blank")
            if "\0" in text:
                raise BadRequest(f"{name} holds a NUL, which no database keeps")

    async def load(self, plugin_id: str) -> str | None:
        return await books.do(self._load, plugin_id)

    async def save(self, plugin_id: str, cursor: str) -> None:
        await books.do(self._save, plugin_id, cursor)

    async def delete(self, plugin_id: str) -> None:
        await books.do(self._delete, plugin_id)

    async def acquire(self, plugin_id: str) -> bool:
        return await books.do(self._acquire, plugin_id)

    async def release(self, plugin_id: str) -> None:
        await books.do(self._release, plugin_id)

    async def report(self, plugin_id: str, error: str, *, is_stopped: bool) -> None:
        await books.do(self._report, plugin_id, error, is_stopped=is_stopped)

    def key(self, plugin_id: str) -> str:
        """Return what stands for the four names; a JSON array, so that no two spellings meet."""
        return _key(self.consumer_id, self.subscription_key, self.scope, plugin_id)

    def _load(self, plugin_id: str) -> str | None:
        row = SubscriptionCursor.objects.filter(key=self.key(plugin_id)).values_list("cursor", flat=True).first()
        return row or None

    def _save(self, plugin_id: str, cursor: str) -> None:
        if not self._write(plugin_id, cursor):
            self._make(plugin_id)
            if not self._write(plugin_id, cursor):
                raise LeaseLost(plugin_id)

    def _write(self, plugin_id: str, cursor: str) -> int:
        with connection.cursor() as statement:
            statement.execute(_SAVE, [cursor, False, timezone.now(), self.key(plugin_id), self.owner])
            return int(statement.rowcount)

    def _delete(self, plugin_id: str) -> None:
        SubscriptionCursor.objects.filter(key=self.key(plugin_id)).delete()

    def _acquire(self, plugin_id: str) -> bool:
        now = timezone.now()
        until = now + timedelta(seconds=LEASE_S)
        row = SubscriptionCursor.objects.filter(key=self.key(plugin_id))
        if row.filter(lease_owner=self.owner).update(lease_until=until):
            return True
        self._make(plugin_id)
        free = row.filter(Q(lease_owner="") | Q(lease_until=None) | Q(lease_until__lt=now))
        return bool(free.update(lease_owner=self.owner, lease_until=until, is_stopped=False))

    def _release(self, plugin_id: str) -> None:
        held = SubscriptionCursor.objects.filter(key=self.key(plugin_id), lease_owner=self.owner)
        held.update(lease_owner="", lease_until=None)

    def _report(self, plugin_id: str, error: str, *, is_stopped: bool) -> None:
        self._make(plugin_id)
        SubscriptionCursor.objects.filter(key=self.key(plugin_id)).update(
            failures=F("failures") + 1, last_error=error, last_error_at=timezone.now(), is_stopped=is_stopped
        )

    def _make(self, plugin_id: str) -> None:
        """Make the row where there is none."""
        row = SubscriptionCursor(
            key=self.key(plugin_id),
            consumer_id=self.consumer_id[:_LONGEST],
            subscription_key=self.subscription_key[:_LONGEST],
            scope=self.scope,
            plugin_id=plugin_id[:_LONGEST],
        )
        SubscriptionCursor.objects.bulk_create([row], ignore_conflicts=True)


@lru_cache(maxsize=256)
def _key(*names: str) -> str:
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()
