"""The outbox: captured turns wait here until they are in the journal; a killed worker loses and doubles nothing."""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.models import Capture, Entry
from memory.models.capture import CaptureState

LEASE = timedelta(minutes=10)
"""How long a claim of a process that cannot be asked counts; no summarizer runs longer."""

ATTEMPTS = 3
_PAUSES = (timedelta(seconds=5), timedelta(minutes=1), timedelta(minutes=10))


class CannotRetry(Exception):
    """The capture is on its way, or done; the message is one sentence for people."""


def claimant() -> str:
    """Return the name under which this process claims."""
    return f"{socket.gethostname()}/{os.getpid()}"[:100]


def claim(*, worker: str, at: datetime) -> Capture | None:
    """Take the oldest capture that is due and whose project has no other one in work; None when there is none.

    Turns of the past come after all live ones.
    """
    busy = Capture.objects.filter(project=OuterRef("project"), state=CaptureState.SUMMARISING)
    waiting = Capture.objects.due(at).exclude(Exists(busy)).order_by("is_backfilled", "pk")
    for pk in waiting.values_list("pk", flat=True)[:20]:
        try:
            with transaction.atomic(durable=True):
                taken = Capture.objects.due(at).filter(pk=pk).update(
                    state=CaptureState.SUMMARISING, claimed_by=worker, claimed_at=at
                )  # fmt: skip
        except IntegrityError:  # another worker began with this project in the same moment
            continue
        if taken:
            return Capture.objects.select_related("project", "session").get(pk=pk)
    return None


def release_lost(*, at: datetime) -> int:
    """Put back what a process was working on that is gone; return how many. Called when a worker starts, and at times."""
    lost = [row.pk for row in Capture.objects.filter(state=CaptureState.SUMMARISING) if _is_lost(row, at)]
    return Capture.objects.filter(pk__in=lost, state=CaptureState.SUMMARISING).update(
        state=CaptureState.QUEUED, claimed_by="", claimed_at=None
    )


def keep(capture: Capture, **facts: object) -> None:
    """Keep what was found out on the way, as the summary that was paid for, before the next step is tried."""
    for name, value in facts.items():
        setattr(capture, name, value)
    capture.save(update_fields=list(facts))


@transaction.atomic(durable=True)
def written(capture: Capture, entry: Entry | None, *, reason: str = "", at: datetime) -> None:
    """Note that the turn stands in its journal: with a summary, or, for a `reason`, with the note that it has none."""
    capture.state = CaptureState.UNAVAILABLE if reason else CaptureState.WRITTEN
    capture.reason, capture.entry, capture.written_at = reason, entry, at
    capture.claimed_at, capture.claimed_by = None, ""
    capture.save(update_fields=["state", "reason", "entry", "written_at", "claimed_at", "claimed_by"])
    kind = "capture.failed" if reason else "capture.written"
    changes.append([Note(kind, refs.capture(capture), capture.question)], project=capture.project, at=at)


def skip(capture: Capture, reason: str, *, at: datetime) -> None:
    """Leave out a turn that turned out to be no memory."""
    keep(capture, state=CaptureState.SKIPPED, reason=reason, claimed_at=None, claimed_by="", next_attempt_at=at)


@transaction.atomic(durable=True)
def again(capture: Capture, reason: str, *, at: datetime) -> None:
    """Put a capture back that could not be written; it is tried again after growing pauses, and then by a person."""
    capture.attempts += 1
    is_over = capture.attempts >= ATTEMPTS
    capture.state = CaptureState.SKIPPED if is_over else CaptureState.QUEUED
    capture.reason, capture.claimed_at, capture.claimed_by = reason, None, ""
    capture.next_attempt_at = at + _PAUSES[min(capture.attempts, len(_PAUSES)) - 1]
    capture.save(update_fields=["attempts", "state", "reason", "claimed_at", "claimed_by", "next_attempt_at"])
    if is_over:
        changes.append([Note("capture.failed", refs.capture(capture), reason)], project=capture.project, at=at)


def put_off(capture: Capture, reason: str, *, until: datetime) -> None:
    """Put back a turn of the past before its time; all those of its project wait until then, and say why."""
    keep(capture, state=CaptureState.QUEUED, claimed_at=None, claimed_by="")
    waiting = Capture.objects.filter(project=capture.project, state=CaptureState.QUEUED, is_backfilled=True)
    waiting.update(reason=reason, next_attempt_at=until)


@transaction.atomic(durable=True)
def retry(*, pk: int, actor: Actor, at: datetime) -> Capture:
    """Try a capture again that has no summary, or was skipped; a better summary becomes a new version of its entry.

    Raises Capture.DoesNotExist and CannotRetry.
    """
    capture = Capture.objects.select_related("project").get(pk=pk)
    if capture.state not in {CaptureState.UNAVAILABLE, CaptureState.SKIPPED}:
        raise CannotRetry(f"This turn is {capture.state}; there is nothing to try again.")
    if capture.written_at:
        capture.version += 1
    fresh = {"state": CaptureState.QUEUED, "attempts": 0, "summary": "", "reason": "", "next_attempt_at": at}
    done = Capture.objects.filter(pk=pk, state=capture.state).update(version=capture.version, **fresh)
    if not done:
        raise CannotRetry("Somebody else tries this turn again at this moment.")
    audit.record(actor, "capture.retried", refs.capture(capture), at=at)
    changes.append([Note("capture.queued", refs.capture(capture), capture.question)], project=capture.project, at=at)
    capture.refresh_from_db()
    return capture


def _is_lost(row: Capture, at: datetime) -> bool:
    host, _, pid = row.claimed_by.rpartition("/")
    if host == socket.gethostname() and pid.isdigit():
        return not _is_alive(int(pid))
    return row.claimed_at is None or row.claimed_at < at - LEASE


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
