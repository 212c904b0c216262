"""What `memdock maintain` does: looks at each task, runs what is due in this very process, and tells of all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from django.utils import timezone

from memory.audit import COMMAND
from memory.configuration import memsearch
from memory.configuration.memsearch import Unset
from memory.disk import DiskError
from memory.maintenance import assignment, digests, due, history, platforms, runs, state
from memory.maintenance.due import Due
from memory.maintenance.places import BadPlace
from memory.maintenance.state import CannotKeep
from memory.models import Project, UpkeepRun
from memory.models.maintenance import UpkeepState

_LOOK = 0.2  # seconds between two looks at a run that another process has taken


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one task of a project; the JSON of `memdock maintain`.

    `action` is disabled, skip, locked, none, replace, distilled, waiting or error; `output` is an absolute path.
    """

    project: str
    task: str
    action: str
    reason: str
    output: str


def run(project: Project, task: str, *, is_forced: bool) -> Report:
    """Run a task if it is switched on and due, and wait for its end, whoever works on it."""
    among = platforms.enabled(memsearch.effective(project), task)
    if not among:
        return Report(project.name, task, "disabled", "", "")
    row = UpkeepRun(project=project, task=task, platform=platforms.choose(project, among), is_forced=is_forced)
    try:
        found, output = _due(row)
    except (BadPlace, Unset, CannotKeep, DiskError) as exc:
        return Report(project.name, task, "error", str(exc), "")
    if not found.is_due:
        return Report(project.name, task, "skip", found.reason, output)
    return _run(row)


def _due(row: UpkeepRun) -> tuple[Due, str]:
    job = assignment.of(row)
    entry = state.entry(Path(row.project.memory_dir), row.platform, row.task)
    digest = digests.digest(job.input)
    found = due.due(entry, digest, hours=job.hours, is_forced=row.is_forced, at=timezone.now())
    if found.is_due and not row.is_forced:
        rested = due.rest(entry, **history.failures(row.project, row.task, row.platform), at=timezone.now())
        found = found if rested.is_due else rested
    return found, job.output.shown


def _run(row: UpkeepRun) -> Report:
    made = runs.ask(
        project=row.project,
        task=row.task,
        platform=row.platform,
        force=row.is_forced,
        trigger=runs.COMMAND_LINE,
        actor=COMMAND,
        at=timezone.now(),
    )
    while made.state in {UpkeepState.QUEUED, UpkeepState.RUNNING}:
        if not runs.run_one(made.pk):
            time.sleep(_LOOK)
            runs.release_lost(at=timezone.now())
        made.refresh_from_db()
    return Report(row.project.name, row.task, made.action, made.error or made.reason, made.output_path)
