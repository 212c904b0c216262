"""Decisions about skills, and the work that they asked for, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils import dateformat, timezone

from dock.contexts import links
from memory.models import Project, SkillDecision, SkillJob
from memory.models.skill_desk import JobState, SkillAction
from memory.skills import queries, review
from memory.skills.results import Done, Result

LATELY = 5

_LOOKS = {
    SkillAction.APPROVE: ("approved", "ok", "check"),
    SkillAction.REQUEST_CHANGES: ("changes requested", "warn", "pencil-square"),
    SkillAction.REJECT: ("rejected", "bad", "x-mark"),
    SkillAction.SNOOZE: ("snoozed", "", "clock"),
    SkillAction.REOPEN: ("reopened", "", "arrow-uturn-left"),
    SkillAction.QUEUE_REVIEW: ("agent asked", "", "paper-airplane"),
    SkillAction.INSTALL: ("installed", "ok", "check"),
    SkillAction.UNINSTALL: ("taken away", "", "minus"),
    SkillAction.RESTORE: ("restored", "", "arrow-uturn-left"),
}
_UNFINISHED = {
    SkillAction.INSTALL: "installing",
    SkillAction.UNINSTALL: "taking away",
    SkillAction.RESTORE: "restoring",
}


_OUTCOMES: dict[Done, str] = {
    "waiting": "not done yet",
    "installed": "installed",
    "same": "had this text already",
    "uninstalled": "taken away",
    "missing": "had no copy any more",
    "restored": "restored",
    "differs": "has another text; nothing was changed",
    "failed": "failed; nothing was written",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one target, in one sentence."""

    target: str
    words: str
    is_ok: bool


@dataclass(frozen=True, slots=True)
class Act:
    """One decision; `results` are those of its work, which is not over while `is_busy`."""

    slug: str
    url: str
    words: str
    tone: str
    icon: str
    by: str
    note: str
    at: datetime
    is_busy: bool
    results: list[Outcome]


@dataclass(frozen=True, slots=True)
class Made:
    """A decision that was just made: its work, if any, and what became of a question to an agent."""

    action: str
    content_hash: str
    job: int | None
    delivery: str


def made(row: SkillDecision) -> Made:
    job: SkillJob | None = getattr(row, "job", None)
    asked = review.delivery(row) if row.action == SkillAction.QUEUE_REVIEW else ""
    return Made(row.action, row.content_hash, job.pk if job else None, asked)


def lately(project: Project | None) -> list[Act]:
    """Return the latest decisions. One query."""
    return [act(row, row.project) for row in queries.recent_decisions(project)[:LATELY]]


def act(row: SkillDecision, project: Project) -> Act:
    """Describe one decision; its job and its skill are read with it."""
    words, tone, icon = _LOOKS[SkillAction(row.action)]
    job: SkillJob | None = getattr(row, "job", None)
    is_busy = job is not None and job.state in {JobState.QUEUED, JobState.RUNNING}
    if is_busy:
        words, tone, icon = _UNFINISHED.get(SkillAction(row.action), words), "", "arrow-path"
    elif job is not None and job.state == JobState.FAILED:
        words, tone, icon = f"not {words}", "bad", "exclamation-circle"
    return Act(
        slug=row.slug,
        url=links.to("skill-detail", project.name, row.slug) if row.skill_id else "",
        words=words,
        tone=tone,
        icon=icon,
        by=row.actor_label,
        note=note(row),
        at=row.at,
        is_busy=is_busy,
        results=results(job) if job else [],
    )


def note(row: SkillDecision) -> str:
    """Say what was added to a decision: where to, until when, that it was made unread, and the reviewer's own words."""
    parts = [
        f"into {', '.join(row.targets)}" if row.targets and row.action == SkillAction.INSTALL else "",
        f"in {', '.join(row.targets)}" if row.targets and row.action != SkillAction.INSTALL else "",
        f"until {dateformat.format(timezone.localtime(row.until), 'j M Y')}" if row.until else "",
        "without its changes opened" if row.is_override else "",
    ]
    told = ", ".join(part for part in parts if part)
    return f"{told}: {row.note}" if told and row.note else told or row.note


def results(job: SkillJob) -> list[Outcome]:
    """Say what became of each target of a job, and of the job where it failed as a whole."""
    found = [_result(Result.of(one)) for one in job.results]
    if job.state == JobState.FAILED and all(one.is_ok for one in found):
        found.append(Outcome("", job.error or "It failed.", is_ok=False))
    return found


def _result(told: Result) -> Outcome:
    return Outcome(
        told.target, told.error or _OUTCOMES[told.outcome], is_ok=told.is_success or told.outcome == "waiting"
    )
