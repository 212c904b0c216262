"""How plugins do: kept in this process, and written down for people now and then."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from time import monotonic

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from memory.models import PluginHealth
from memory.service.desk import books
from memory.service.types import Failure, Outcome

EVERY_S = 5.0
"""Seconds between two times that numbers are written down: a call must not wait for a database."""

_WEIGHT = 0.2

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    failures: int = 0
    latency_ms: float | None = None
    called_at: datetime | None = None
    error: str = ""
    code: str = ""
    failed_at: datetime | None = None

    def note(self, outcome: Outcome, at: datetime) -> None:
        self.calls += 1
        self.called_at = at
        if isinstance(outcome, Failure):
            self.failures += 1
            self.error, self.code, self.failed_at = outcome.error, outcome.code, at
        if isinstance(outcome, Failure) and outcome.code == "filter":
            return  # the plugin itself was not asked
        before = self.latency_ms
        self.latency_ms = outcome.duration_ms if before is None else before + _WEIGHT * (outcome.duration_ms - before)


@dataclass(slots=True)
class Watch:
    """Counts outcomes in any thread; never waits, never fails a call.

    What was counted is written by the first call after EVERY_S seconds, and where the loop lives on also after the
    last one. A loop may as well live for one call only, as under `asyncio.run` in a view.
    """

    _tallies: dict[str, _Tally] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _written: float = field(default_factory=monotonic)
    _task: asyncio.Task[None] | None = None

    def note(self, outcome: Outcome) -> None:
        """Count an outcome, and see to it that it is written down soon."""
        with self._lock:
            self._tallies.setdefault(outcome.plugin_id, _Tally()).note(outcome, timezone.now())
            if is_due := monotonic() - self._written >= EVERY_S:
                self._written = monotonic()
            if self._task is None or self._task.done() or self._task.get_loop().is_closed():
                self._task = asyncio.create_task(self._later(), name="plugin health")
        if is_due:
            books.post(self._write)

    async def flush(self) -> None:
        """Write down what was counted."""
        await books.do(self._write)

    async def _later(self) -> None:
        await asyncio.sleep(EVERY_S)
        await self.flush()

    def _write(self) -> None:
        with self._lock:
            tallies, self._tallies = self._tallies, {}
            self._written = monotonic()
        try:
            _store(tallies)
        except DatabaseError:  # the next ones count again; these numbers are for people only
            logger.warning("plugin health was not written", exc_info=True)


@transaction.atomic
def _store(tallies: dict[str, _Tally]) -> None:
    for plugin_id, tally in tallies.items():
        PluginHealth.objects.bulk_create([PluginHealth(plugin_id=plugin_id)], ignore_conflicts=True)
        told: dict[str, object] = {"last_call_at": tally.called_at}
        if tally.latency_ms is not None:
            told["latency_ms"] = tally.latency_ms
        if tally.failed_at:
            told |= {"last_error": tally.error, "last_error_code": tally.code, "last_error_at": tally.failed_at}
        PluginHealth.objects.filter(plugin_id=plugin_id).update(
            calls=F("calls") + tally.calls, failures=F("failures") + tally.failures, **told
        )
