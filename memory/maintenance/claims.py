"""Which runs are worked on, and by whom: a run belongs to the process that holds its lock file.

The system gives the lock back when a process ends, however it ends. The file says how often the run was begun.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q

from memory import locks
from memory.locks import Taken
from memory.models import Capture, UpkeepRun
from memory.models.capture import CaptureState
from memory.models.maintenance import UpkeepState
from memory.projects.sync import LOCKS

ATTEMPTS = 3
"""How often a run is begun that each time takes its process down with it."""

LEASE = timedelta(minutes=30)
"""How long a run counts that a MemDock with another data directory began; none takes longer."""

SESSION_END = "session end"
_PATIENCE = timedelta(minutes=10)
"""How long the end of a session waits for its last turns to be in the journal."""

_AT_ONCE = 20
OPEN = (UpkeepState.QUEUED, UpkeepState.RUNNING)


@dataclass(frozen=True, slots=True)
class Begun:
    """What the lock file of a run says: how often it was begun from this data directory, and when it last was."""

    times: int = 0
    at: str = ""


def waiting(*, at: datetime) -> list[int]:
    """Return runs that can be begun, the oldest first. One query."""
    busy = UpkeepRun.objects.filter(project=OuterRef("project"), task=OuterRef("task"), state=UpkeepState.RUNNING)
    unwritten = Capture.objects.filter(
        project=OuterRef("project"), state__in=[CaptureState.QUEUED, CaptureState.SUMMARISING]
    )
    is_early = Q(trigger=SESSION_END, created_at__gt=at - _PATIENCE) & Exists(unwritten)
    rows = UpkeepRun.objects.filter(~Exists(busy), state=UpkeepState.QUEUED).exclude(is_early)
    return list(rows.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE])


@contextmanager
def claimed(pk: int, *, at: datetime) -> Iterator[UpkeepRun | None]:
    """Hold a queued run while the block works on it; None where somebody else has it, or another one of its task."""
    path = _file(pk)
    with ExitStack() as stack:
        try:
            stack.enter_context(locks.held(path, waits=False))
        except Taken:
            yield None
            return
        begun = _begun(path)
        run = _begin(pk, Begun(begun.times + 1, at.isoformat()), path, at=at)
        if run is None:
            _note(path, begun)
        try:
            yield run
        finally:
            is_over = not UpkeepRun.objects.filter(pk=pk, state__in=OPEN).exists()
            if is_over or (run is None and not begun.times):
                path.unlink(missing_ok=True)


def lost(*, at: datetime) -> list[tuple[int, int]]:
    """Return runs whose process is gone, and how often each was begun. One query."""
    rows = UpkeepRun.objects.filter(state=UpkeepState.RUNNING).values_list("pk", "started_at")
    return [(pk, _begun(_file(pk)).times) for pk, started_at in rows if _is_lost(pk, started_at or at, at)]


def forget(pk: int) -> None:
    """Take away the lock file of a run that is over."""
    _file(pk).unlink(missing_ok=True)


@transaction.atomic(durable=True)
def requeue(pk: int) -> bool:
    """Put a lost run back; tell whether it still was one."""
    running = UpkeepRun.objects.filter(pk=pk, state=UpkeepState.RUNNING)
    return bool(running.update(state=UpkeepState.QUEUED))


def _begin(pk: int, begun: Begun, path: Path, *, at: datetime) -> UpkeepRun | None:
    _note(path, begun)
    try:
        with transaction.atomic(durable=True):
            rows = UpkeepRun.objects.filter(pk=pk, state=UpkeepState.QUEUED)
            if not rows.update(state=UpkeepState.RUNNING, started_at=at):
                return None
    except IntegrityError:  # another process began with another run of this task in the same moment
        return None
    return UpkeepRun.objects.select_related("project").get(pk=pk)


def _is_lost(pk: int, started_at: datetime, at: datetime) -> bool:
    if _begun(_file(pk)).at != started_at.isoformat():  # another MemDock of this database began it
        return started_at < at - LEASE
    try:
        with locks.held(_file(pk), waits=False):
            return True
    except Taken:
        return False


def _begun(path: Path) -> Begun:
    try:
        times, _, at = path.read_text().partition(" ")
    except FileNotFoundError:
        return Begun()
    return Begun(int(times), at) if times.isascii() and times.isdigit() else Begun()


def _note(path: Path, begun: Begun) -> None:
    path.write_text(f"{begun.times} {begun.at}")


def _file(pk: int) -> Path:
    folder = Path(settings.DATA_DIR) / LOCKS
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"upkeep-{pk}"
