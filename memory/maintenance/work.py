"""One run from its claim to its end: look whether it is due, ask, keep the answer, act on it, say what became of it."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from datetime import datetime

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from memory import audit, changes, refs
from memory.audit import Actor
from memory.capture.summarizers.base import Unavailable
from memory.changes import Note
from memory.configuration.memsearch import Unset
from memory.disk import DiskError
from memory.maintenance import assignment, digests, due, locks, providers, rows, state, tasks, usage
from memory.maintenance.assignment import Assignment
from memory.maintenance.files import CannotUse, Changed
from memory.maintenance.locks import CannotLock, Locked
from memory.maintenance.places import BadPlace
from memory.maintenance.replies import Nonsense
from memory.maintenance.state import CannotKeep
from memory.maintenance.tasks.base import Failed
from memory.models import UpkeepRun
from memory.models.maintenance import UpkeepState

logger = logging.getLogger("memdock.maintenance")

EXPECTED = (
    Unavailable, Unset, BadPlace, DiskError, CannotUse, Changed, CannotLock, CannotKeep, Nonsense, Failed,
)  # fmt: skip
_MISTAKE = "MemDock failed on this run; its log says why."
_LASTING = {"none": "none", "waiting": "none", "replace": "replace", "distilled": "distilled"}
_TITLES = {"none": "nothing new", "waiting": "a proposal waits", "replace": "replaced", "distilled": "skills written"}


def work(run: UpkeepRun) -> None:
    """Work on a claimed run until it is done or has failed; nothing but a DatabaseError is raised."""
    began = time.monotonic()
    error = ""
    try:
        _work(run)
    except DatabaseError:
        raise
    except EXPECTED as exc:
        error = str(exc)
    except Exception:  # our own mistake on one run must neither stop the others nor go unseen
        logger.exception("Run %s (%s of project %s) failed.", run.pk, run.task, run.project_id)
        error = _MISTAKE
    run.duration_ms = round((time.monotonic() - began) * 1000)
    finish(run, error=error, at=timezone.now())


@transaction.atomic(durable=True)
def finish(run: UpkeepRun, *, error: str = "", at: datetime) -> None:
    """Say what became of a run, unless another process took it over meanwhile."""
    run.state, run.error, run.finished_at = UpkeepState.FAILED if error else UpkeepState.DONE, error, at
    if not UpkeepRun.objects.filter(pk=run.pk, state=UpkeepState.RUNNING).update(state=run.state):
        return
    if error:
        run.action = "error"
    run.save()
    if error or run.action not in {"skip", "locked"}:
        changes.append([Note("maintenance.ran", refs.upkeep(run), _title(run))], project=run.project, at=at)
    if run.actor_label:
        audit.record(_actor(run), "upkeep.ran", refs.upkeep(run), at=at, outcome=run.action, error=run.error[:500])


def _work(run: UpkeepRun) -> None:
    job = assignment.of(run)
    if not run.input_digest:
        run.input_digest, run.output_path = digests.digest(job.input), job.output.shown
    if run.is_dry_run:
        return None if run.action else _ask(job)
    try:
        with locks.held(job.memory_dir, run.platform, run.task):
            _hold(job)
    except Locked as exc:
        run.action, run.reason = "locked", str(exc)
    return None


def _hold(job: Assignment) -> None:
    """Do the task under its lock, and tell MemSearch's state file of it."""
    run = job.run
    entry = state.entry(job.memory_dir, run.platform, run.task)
    found = due.due(entry, run.input_digest, hours=job.hours, is_forced=run.is_forced, at=timezone.now())
    if not (found.is_due or run.action):
        run.action, run.reason = "skip", found.reason
        return
    known = {"platform": run.platform, "task": run.task, "digest": run.input_digest, "output": run.output_path}
    try:
        if not run.action:
            _ask(job)
        tasks.BY_NAME[run.task].carry_out(job, at=timezone.now())
    except EXPECTED as exc:
        with suppress(CannotKeep):  # the run itself says why it failed
            state.failed(job.memory_dir, **known, error=str(exc), at=timezone.now())
        raise
    try:
        state.succeeded(job.memory_dir, **known, action=_LASTING[run.action], at=timezone.now())
    except CannotKeep as exc:
        raise Failed(f"The task itself is done ({_TITLES[run.action]}), but the next run will not know: {exc}") from exc


def _ask(job: Assignment) -> None:
    """Ask the model, and keep what it said before anything is done with it: it was paid for."""
    run, task, configuration = job.run, tasks.BY_NAME[job.run.task], job.configuration
    prompt = task.prompt(job)
    usage.check(configuration, at=timezone.now())
    provider = providers.name(configuration, run.platform, run.task)
    reply = providers.ask(configuration, platform=run.platform, task=run.task, prompt=prompt)
    rows.keep(
        run,
        provider=provider[:100],
        model=reply.model[:200],
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=reply.cost_usd,
    )
    task.understand(job, reply.text)
    run.save()


def _title(run: UpkeepRun) -> str:
    words = "failed" if run.error else _TITLES.get(run.action, run.action)
    task = run.task.replace("_", " ").capitalize()
    return f"{task}: {words}{' (dry run)' if run.is_dry_run else ''}"


def _actor(run: UpkeepRun) -> Actor:
    user = User.objects.filter(username=run.actor_label).first()
    return Actor(user=user, label=run.actor_label)
