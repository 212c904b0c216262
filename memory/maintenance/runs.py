"""Runs of upkeep: asked for by people, by the clock or by the end of a session; durable from then on."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from memory import audit, refs
from memory.audit import Actor
from memory.configuration import memsearch
from memory.maintenance import claims, platforms, triggers, work
from memory.maintenance.triggers import Wanted
from memory.models import Project, UpkeepRun
from memory.models.maintenance import UpkeepState, UpkeepTask

BY_HAND = "by hand"
COMMAND_LINE = "command line"


@transaction.atomic(durable=True)
def ask(
    *,
    project: Project,
    task: str,
    platform: str | None = None,
    force: bool = False,
    is_dry_run: bool = False,
    trigger: str,
    actor: Actor | None = None,
    at: datetime,
) -> UpkeepRun:
    """Queue a run, and return it; or the one that waits already and would do the same.

    Without a platform it is that of an agent for which the task is switched on, of several the one at work last.
    """
    chosen = platform or platforms.choose(project, platforms.enabled(memsearch.effective(project), task))
    same = UpkeepRun.objects.filter(
        project=project, task=task, platform=chosen, is_dry_run=is_dry_run, is_forced=force, state=UpkeepState.QUEUED
    ).first()
    if same:
        return same
    run = UpkeepRun.objects.create(
        project=project,
        task=UpkeepTask(task),
        platform=chosen,
        trigger=trigger,
        is_dry_run=is_dry_run,
        is_forced=force,
        actor_label=actor.label[:200] if actor else "",
        created_at=at,
    )
    if actor:
        audit.record(actor, "upkeep.asked", refs.upkeep(run), at=at, project=project.name, task=task)
    return run


def run_due(*, at: datetime) -> int:
    """Work on all runs that wait, those of killed processes among them; return how many were worked on."""
    release_lost(at=at)
    return sum(run_one(pk) for pk in claims.waiting(at=at))


def release_lost(*, at: datetime) -> None:
    """Put back the runs of processes that are gone; one that took several of them down is given up."""
    for pk, times in claims.lost(at=at):
        if times < claims.ATTEMPTS:
            claims.requeue(pk)
        else:
            _give_up(pk, times, at=at)


def run_one(pk: int) -> bool:
    """Work on one queued run in this process; tell whether it was ours to do.

    A run that nobody asked for and that had nothing to do leaves no trace.
    """
    with claims.claimed(pk, at=timezone.now()) as run:
        if run is None:
            return False
        work.work(run)
        if run.action in {"skip", "locked"} and run.trigger in triggers.AUTOMATIC:
            run.delete()
    return True


def schedule(*, at: datetime) -> int:
    """Queue what the end of a session or the clock asks for; return how many runs."""
    return triggers.session_ends(_queue, at=at) + triggers.clock(_queue, at=at)


def _queue(wanted: Wanted, *, trigger: str, at: datetime) -> int:
    """Queue a run inside the caller's transaction, unless one of its task is on its way."""
    under_way = UpkeepRun.objects.filter(
        project_id=wanted.project, task=wanted.task, is_dry_run=False, state__in=claims.OPEN
    )
    if under_way.exists():
        return 0
    UpkeepRun.objects.create(
        project_id=wanted.project, task=wanted.task, platform=wanted.platform, trigger=trigger, created_at=at
    )
    return 1


def _give_up(pk: int, times: int, *, at: datetime) -> None:
    run = UpkeepRun.objects.select_related("project").get(pk=pk)
    work.finish(run, error=f"MemDock ended {times} times while this ran; it is not begun again.", at=at)
    claims.forget(pk)
