"""Brings captured turns into their journals, one after the other, beside the other tasks of the worker."""

from __future__ import annotations

from django.utils import timezone

from memory.capture import outbox, spool, work
from memory.jobs import repeating
from memory.jobs.repeating import Clock

EVERY = 0.5
"""Seconds between two looks at an empty outbox when nobody commits anything; each is one small query."""
REST = 0.03
"""The same when many do."""
_LOOK_FOR_LOST_S = 30


def start() -> None:
    """Work in a thread until the process ends; what it was doing then is taken up again by the next one."""
    lost = Clock(_LOOK_FOR_LOST_S)
    repeating.start(lambda: _step(lost), name="capture", what="The outbox of captured turns", every=EVERY, rest=REST)


def _step(lost: Clock) -> int:
    """Take in what hooks left behind and bring one turn into its journal; tell whether there was anything to do."""
    at = timezone.now()
    if lost.is_due():
        outbox.release_lost(at=at)
    return bool(spool.drain(at=at)) | work.step(at=at)
