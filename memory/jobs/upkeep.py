"""Upkeep beside the other tasks of the worker: what is asked for is begun at once, the clock is looked at now and then."""

from __future__ import annotations

from django.utils import timezone

from memory.jobs import repeating
from memory.jobs.repeating import Clock
from memory.maintenance import runs

EVERY = 2.0
"""Seconds between two looks at the queue when nobody commits anything; each is two small queries."""
REST = 0.25
"""The same when many do."""
_LOOK_AT_THE_CLOCK_S = 15


def start() -> None:
    """Work in a thread until the process ends; what it was doing then is taken up again by the next one."""
    clock = Clock(_LOOK_AT_THE_CLOCK_S)
    repeating.start(lambda: _step(clock), name="upkeep", what="Upkeep", every=EVERY, rest=REST)


def _step(clock: Clock) -> int:
    at = timezone.now()
    if clock.is_due():
        runs.schedule(at=at)
    return runs.run_due(at=at)
