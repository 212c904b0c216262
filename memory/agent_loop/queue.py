"""What happened in agents' loops, on its way to the memory plugins: durable once taken, in order for each session.

A row that a plugin failed on is tried again while the session waits; after `PATIENT` times it is set aside, so that one
broken plugin does not hold up the session for all, and is tried again on its own.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from memory import audit
from memory.agent_loop import turns
from memory.agent_loop.errors import BadObservation
from memory.agent_loop.points import TURN_END, Observation
from memory.audit import Actor
from memory.engram import holding
from memory.engram.redaction import redact_all
from memory.maintenance.locks import is_alive
from memory.models import LoopUpdate
from memory.models.service import LoopState
from memory.service import receipts
from memory.service.types import Outcome, Request

PATIENT = 3
"""Tries for which the rest of the session waits."""

PAUSES = tuple(timedelta(seconds=one) for one in (2, 15, 120, 900, 3600, 6 * 3600))
"""After each failed try; after the last one it is over, within the day for which plugins' answers are kept."""

BUSY = timedelta(seconds=5)
"""How long an update waits that another process still works on, or that the database had no time for."""

LEASE = timedelta(minutes=10)
"""How long a claim of another machine counts."""

KEPT = timedelta(days=7)
FAILED_KEPT = timedelta(days=90)

_STEP_S = 0.05
_LONGEST_ERROR = 2000


def take(observed: Observation, *, request_id: str = "", at: datetime) -> bool:
    """Take an observation; tell whether it is new. What has been taken before changes nothing.

    A turn that ended is known by its number and its place; anything else by the id that the agent's side gave it.
    Raises BadObservation where there is none.
    """
    key = _key(observed, request_id)
    _, is_new = LoopUpdate.objects.get_or_create(
        session_key=holding.key(observed.session.id),
        key=key,
        defaults={
            "point": observed.point.name,
            "meta": observed.meta(request_id=key).as_json(),
            "data": observed.data,
            "next_attempt_at": at,
            "created_at": at,
        },
    )
    return is_new


def next_seq(session: str) -> int:
    """Return the number of the first event after the last turn that was taken of a session, 0 where none was. One query."""
    rows = LoopUpdate.objects.filter(session_key=holding.key(session), point=TURN_END).order_by("-pk")
    return max((turns.next_seq(data) for data in rows.values_list("data", flat=True)[:1]), default=0)


def claim(*, worker: str, at: datetime) -> LoopUpdate | None:
    """Take the oldest update that is due and that no earlier one of its session is before; None when there is none."""
    for pk in _due(at).values_list("pk", flat=True)[:20]:
        try:
            with transaction.atomic(durable=True):
                taken = _due(at).filter(pk=pk).update(state=LoopState.RUNNING, claimed_by=worker, claimed_at=at)
        except IntegrityError:  # another worker began with this session in the same moment
            continue
        if taken:
            return LoopUpdate.objects.get(pk=pk)
    return None


def done(row: LoopUpdate, outcomes: Sequence[Outcome], *, at: datetime) -> None:
    """Note that all plugins took it. Of the data only the end of a turn stays, by which the turn is known for good."""
    data = {"event": row.data["event"]} if row.point == TURN_END else {}
    _finish(row, state=LoopState.DONE, data=data, outcomes=_short(outcomes), error="", done_at=at)


def again(row: LoopUpdate, outcomes: Sequence[Outcome], error: str, *, at: datetime) -> None:
    """Put it back for the plugins that failed, or give it up after the last try; its data stays."""
    attempts = row.attempts + 1
    is_over = attempts > len(PAUSES)
    _finish(
        row,
        state=LoopState.FAILED if is_over else LoopState.QUEUED,
        attempts=attempts,
        outcomes=_short(outcomes),
        error=_clean(error),
        next_attempt_at=at if is_over else at + PAUSES[attempts - 1],
        done_at=at if is_over else None,
    )


def refuse(row: LoopUpdate, error: str, *, at: datetime) -> None:
    """Give up what the service will never take."""
    _finish(row, state=LoopState.FAILED, error=_clean(error), done_at=at)


def put_back(row: LoopUpdate, error: str, *, at: datetime) -> None:
    """Put back what nobody has really tried; that counts as no try."""
    _finish(row, state=LoopState.QUEUED, error=_clean(error), next_attempt_at=at + BUSY)


@transaction.atomic(durable=True)
def retry(*, pk: int, actor: Actor, at: datetime) -> bool:
    """Try one again that was given up; tell whether it was. After a day it reaches all plugins anew, as a repetition."""
    fresh = {"state": LoopState.QUEUED, "attempts": 0, "next_attempt_at": at, "done_at": None}
    done = LoopUpdate.objects.filter(pk=pk, state=LoopState.FAILED).update(**fresh)
    if done:
        audit.record(actor, "loop.retried", f"loop update {pk}", at=at)
    return bool(done)


def release_lost(*, host: str, at: datetime) -> int:
    """Put back what a process was delivering that is gone; return how many. Called when a worker starts, and at times."""
    lost = [row for row in LoopUpdate.objects.filter(state=LoopState.RUNNING) if _is_lost(row, host, at)]
    for row in lost:
        receipts.abandon(Request.parse({"meta": row.meta, "data": None}), pid=row.claimed_by.rpartition("/")[2])
        LoopUpdate.objects.filter(pk=row.pk, state=LoopState.RUNNING, claimed_by=row.claimed_by).update(
            state=LoopState.QUEUED, claimed_by="", claimed_at=None
        )
    return len(lost)


def flush(session: str, *, within: float) -> bool:
    """Wait until what was taken of a session by now is delivered or set aside; tell whether that came within seconds."""
    rows = LoopUpdate.objects.filter(session_key=holding.key(session))
    last = rows.order_by("-pk").values_list("pk", flat=True).first()
    waiting = rows.filter(Q(state=LoopState.RUNNING) | _is_in_line(), pk__lte=last or 0)
    deadline = time.monotonic() + within
    while waiting.exists():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_STEP_S)
    return True


def trim(*, at: datetime) -> int:
    """Forget what was delivered a week ago, and what was given up long ago; return how many.

    Turns stay without their data, so that one that comes again is known.
    """
    old = Q(state=LoopState.DONE, done_at__lt=at - KEPT) & ~Q(point=TURN_END)
    gone, _ = LoopUpdate.objects.filter(old | Q(state=LoopState.FAILED, done_at__lt=at - FAILED_KEPT)).delete()
    return gone


def _key(observed: Observation, request_id: str) -> str:
    if observed.point.name == TURN_END:
        request_id = f"{observed.extra['turn']}/{turns.next_seq(observed.data)}"
    if not request_id:
        raise BadObservation("is missing", "requestId")
    told = ["loop", observed.session.id, observed.point.name, request_id]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _due(at: datetime) -> QuerySet[LoopUpdate]:
    mine = LoopUpdate.objects.filter(session_key=OuterRef("session_key"))
    waiting = LoopUpdate.objects.filter(state=LoopState.QUEUED, next_attempt_at__lte=at)
    ahead = Exists(mine.filter(_is_in_line(), pk__lt=OuterRef("pk")))
    free = waiting.exclude(Exists(mine.filter(state=LoopState.RUNNING))).exclude(ahead, attempts__lt=PATIENT)
    return free.order_by("pk")


def _is_in_line() -> Q:
    """Match what later updates of its session wait for."""
    return Q(state=LoopState.QUEUED, attempts__lt=PATIENT)


def _finish(row: LoopUpdate, **facts: object) -> None:
    """Write what became of a claimed row, unless somebody took it for lost meanwhile."""
    mine = LoopUpdate.objects.filter(pk=row.pk, state=LoopState.RUNNING, claimed_by=row.claimed_by)
    mine.update(claimed_by="", claimed_at=None, **facts)


def _short(outcomes: Sequence[Outcome]) -> object:
    """Return the outcomes without the plugins' answers, which are theirs."""
    return [redact_all({key: told for key, told in one.as_json().items() if key != "value"}) for one in outcomes]


def _clean(error: str) -> str:
    return error.replace("\0", "\ufffd")[:_LONGEST_ERROR]


def _is_lost(row: LoopUpdate, host: str, at: datetime) -> bool:
    where, _, pid = row.claimed_by.rpartition("/")
    if where == host and pid.isdigit():
        return not is_alive(int(pid))
    return row.claimed_at is None or row.claimed_at < at - LEASE
