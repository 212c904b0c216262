"""Does what people asked for with copies, target by target, and says truthfully what became of it."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from memory import changes, locks, refs
from memory.changes import Note
from memory.models import SkillCandidate, SkillJob
from memory.models.skill import SkillReview
from memory.models.skill_desk import JobState
from memory.projects.sync import LOCKS
from memory.skills import review, work
from memory.skills.work import Outcome

logger = logging.getLogger("memdock.skills")

ATTEMPTS = 5
"""How often a job is taken up again after the worker died on it."""

LEASE = timedelta(minutes=10)
"""After so long a job of another machine is taken up; none takes that long."""

_LOCK, _DOING = "skill-jobs", "skill-jobs.doing"
_OPEN = [JobState.QUEUED, JobState.RUNNING]
_KINDS = {"install": "skill.installed", "uninstall": "skill.uninstalled", "restore": "skill.installed"}
_LOST = "MemDock ended several times while it worked on this. What was done is said at each target."
_BROKE = "MemDock failed on this; its log says why."


def run_due(*, at: datetime) -> int:
    """Do all jobs that wait, also those of a worker that died, and wake what was snoozed; return how much there was."""
    due = SkillCandidate.objects.filter(review=SkillReview.SNOOZED, snoozed_until__lte=at)
    woken = review.wake(at=at) if due.exists() else 0
    if not SkillJob.objects.filter(state__in=_OPEN).exists():
        return woken
    try:
        with locks.held(_place(_LOCK), waits=False):
            release(at=at)
            return woken + _work(at=at)
    except locks.Taken:  # another process of this machine is at it
        return woken


def release(*, at: datetime) -> int:
    """Put back what a worker was doing that is gone; return how many. The caller holds the lock.

    Whoever holds it is the only one at work on this machine: a job that the machine took and that still runs is lost.
    """
    running = SkillJob.objects.filter(state=JobState.RUNNING)
    lost = running.filter(pk=_doing()) | running.filter(started_at__lt=at - LEASE)
    for job in lost.select_related("decision", "project"):
        if job.attempts < ATTEMPTS:
            running.filter(pk=job.pk, started_at=job.started_at).update(state=JobState.QUEUED)
        else:
            _finish(job, Outcome(is_success=False, error=_LOST), at=at)
    return len(lost)


def claim(*, at: datetime) -> SkillJob | None:
    """Take the oldest job of a skill that no other machine works on; None where there is none."""
    queued = SkillJob.objects.filter(state=JobState.QUEUED)
    for pk in queued.order_by("pk").values_list("pk", flat=True):
        _place(_DOING).write_text(str(pk))  # first: a crash after the claim must find it
        try:
            with transaction.atomic(durable=True):
                taken = queued.filter(pk=pk).update(state=JobState.RUNNING, started_at=at, attempts=F("attempts") + 1)
        except IntegrityError:  # another machine works on this skill
            continue
        if taken:
            return SkillJob.objects.select_related("project", "decision").get(pk=pk)
    return None


def _work(*, at: datetime) -> int:
    done = 0
    while job := claim(at=at):
        _finish(job, _outcome(job), at=timezone.now())
        done += 1
    _place(_DOING).write_text("")
    return done


def _outcome(job: SkillJob) -> Outcome:
    try:
        return work.do(job, at=timezone.now())
    except DatabaseError:  # it stays as it is, and is taken up again
        raise
    except Exception:  # our own mistake on one job must not stop the others
        logger.exception("Job %s on the skill %s could not be done.", job.pk, job.slug)
        return Outcome(is_success=False, error=_BROKE)


@transaction.atomic(durable=True)
def _finish(job: SkillJob, outcome: Outcome, *, at: datetime) -> None:
    """Write down how a job ended, and tell the feed."""
    job.state = JobState.DONE if outcome.is_success else JobState.FAILED
    job.error, job.finished_at = outcome.error, at
    job.save(update_fields=["state", "error", "finished_at"])
    kind = _KINDS[job.decision.action] if outcome.has_changed else "skill.updated"
    skill = SkillCandidate.objects.filter(project=job.project, slug=job.slug).only("slug", "title").first()
    skill = skill or SkillCandidate(slug=job.slug)
    changes.append([Note(kind, refs.skill(skill, job.project), skill.title or skill.slug)], project=job.project, at=at)


def _place(name: str) -> Path:
    folder = Path(settings.DATA_DIR) / LOCKS
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / name


def _doing() -> int:
    try:
        text = _place(_DOING).read_text()
    except FileNotFoundError:
        return 0
    return int(text) if text.isascii() and text.isdigit() else 0
