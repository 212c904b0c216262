"""Updates that are done once: what each plugin answered to a `requestId` is kept for a day."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from memory.models import UpdateReceipt
from memory.service.desk import books
from memory.service.errors import RequestBusy, RequestConflict
from memory.service.types import Outcome, Request, Success
from memory.service.values import Json

KEPT = timedelta(days=1)
SPARE = timedelta(minutes=1)
"""How much longer than its plugins may take a caller works on a request alone."""

PATIENCE_S = 20.0
"""How long a caller waits for another one that works on the same request."""

_STEP_S = 0.1


@dataclass(slots=True)
class Receipt:
    """What succeeded before, and what succeeds now."""

    done: dict[str, Json]
    news: dict[str, Json] = field(default_factory=dict)

    def note(self, outcome: Outcome) -> None:
        """Keep a success, whatever becomes of the rest."""
        if isinstance(outcome, Success):
            self.news[outcome.plugin_id] = outcome.value

    def with_earlier(self, outcomes: Sequence[Outcome], *, order: Sequence[str]) -> list[Outcome]:
        """Return all outcomes, earlier ones too, in the order of registration."""
        place = {plugin_id: number for number, plugin_id in enumerate(order)}
        before: list[Outcome] = [Success(plugin_id, value) for plugin_id, value in self.done.items()]
        return sorted([*before, *outcomes], key=lambda one: place.get(one.plugin_id, len(place)))


@asynccontextmanager
async def claimed(request: Request, *, within: float) -> AsyncIterator[Receipt]:
    """Be the only one who works on this request, for `within` seconds and some more.

    Raises RequestConflict for other data, and RequestBusy where somebody else works on it for too long.
    """
    key, digest, owner = _key(request), _digest(request), f"{os.getpid()}-{secrets.token_hex(4)}"
    until = timedelta(seconds=within) + SPARE
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while (receipt := await books.do(_claim, key, digest, owner, until)) is None:
        if asyncio.get_running_loop().time() > deadline:
            raise RequestBusy(f"the update {request.meta.request_id} is being worked on elsewhere")
        await asyncio.sleep(_STEP_S)
    try:
        yield receipt
    finally:
        await asyncio.shield(books.do(_release, key, owner, receipt))


def abandon(request: Request, *, pid: str) -> None:
    """Free a request that a process worked on which is gone; so nobody waits for it until its time is over."""
    rows = UpdateReceipt.objects.filter(key=_key(request), claimed_by__startswith=f"{pid}-")
    rows.update(claimed_by="", claimed_until=None)


def trim(*, at: datetime) -> int:
    """Forget receipts that are older than a day; return how many."""
    gone, _ = UpdateReceipt.objects.filter(created_at__lt=at - KEPT).delete()
    return gone


def _claim(key: str, digest: str, owner: str, until: timedelta) -> Receipt | None:
    now = timezone.now()
    UpdateReceipt.objects.bulk_create([UpdateReceipt(key=key, digest=digest)], ignore_conflicts=True)
    free = Q(claimed_by="") | Q(claimed_until=None) | Q(claimed_until__lt=now)
    taken = UpdateReceipt.objects.filter(free, key=key).update(claimed_by=owner, claimed_until=now + until)
    row = UpdateReceipt.objects.filter(key=key).first()
    if row and row.digest != digest:
        if taken:
            UpdateReceipt.objects.filter(pk=row.pk, claimed_by=owner).update(claimed_by="", claimed_until=None)
        raise RequestConflict("this requestId was used for another update")
    return Receipt(_read(row.outcomes)) if row and taken else None


def _release(key: str, owner: str, receipt: Receipt) -> None:
    rows = UpdateReceipt.objects.filter(key=key, claimed_by=owner)
    rows.update(outcomes=_written(receipt.done | receipt.news), claimed_by="", claimed_until=None)


def _written(values: dict[str, Json]) -> dict[str, str]:
    """Write values as texts: PostgreSQL's JSON refuses the NUL that a plugin's text may hold."""
    return {plugin_id: json.dumps(value) for plugin_id, value in values.items()}


def _read(written: dict[str, str]) -> dict[str, Json]:
    return {plugin_id: json.loads(value) for plugin_id, value in written.items()}


def _key(request: Request) -> str:
    told = request.meta
    return _hash([told.source.type, told.source.id, told.scope, told.request_id])


def _digest(request: Request) -> str:
    return _hash([request.meta.as_json(), request.data])


def _hash(value: Json) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
