"""How the tasks of a project are set up, and when each last did something."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dock.forms.upkeep import TASKS
from memory.configuration import memsearch
from memory.configuration.memsearch import Configuration, Unset
from memory.maintenance import platforms, providers, state
from memory.maintenance.state import CannotKeep
from memory.models import Project
from memory.transcripts import fields


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task; `how` says who is asked and how often, empty where it is off."""

    label: str
    is_on: bool
    how: str
    last_at: datetime | None
    problem: str


def tasks(project: Project) -> list[TaskRow]:
    """Describe the tasks of a project. One query, one more for each task that is switched on."""
    configuration = memsearch.effective(project)
    return [_row(project, configuration, name, label) for name, label in TASKS.items()]


def _row(project: Project, configuration: Configuration, task: str, label: str) -> TaskRow:
    among = platforms.enabled(configuration, task)
    if not among:
        return TaskRow(label, is_on=False, how="", last_at=None, problem="")
    platform = platforms.choose(project, among)
    try:
        hours = configuration.number(f"plugins.{platform}.{task}.min_interval_hours")
        provider = providers.name(configuration, platform, task)
        entry = state.entry(Path(project.memory_dir), platform, task)
    except (Unset, CannotKeep) as exc:
        return TaskRow(label, is_on=True, how="", last_at=None, problem=str(exc))
    how = f"{provider}, for {platform}, at most every {hours} h"
    return TaskRow(label, is_on=True, how=how, last_at=fields.moment(entry.get("last_success_at")), problem="")
