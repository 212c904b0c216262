"""What upkeep tests do over and over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.utils import timezone

from memory.configuration.keys import TASKS
from memory.maintenance import runs
from memory.models import Project, Setting, UpkeepRun
from tests.makers import make_entry_text

DAY = "2026-01-05"


def settle(key: str, value: Any) -> None:
    """Choose a setting for all projects."""
    Setting.objects.update_or_create(project=None, key=key, defaults={"value": value})


def switch_on(url: str, platform: str = "dsh") -> None:
    """Switch all tasks on, with an OpenAI-shaped provider at this address."""
    settle("llm.providers.stub.type", "openai-compatible")
    settle("llm.providers.stub.base_url", url)
    settle("llm.providers.stub.model", "m-1")
    for task in TASKS:
        settle(f"plugins.{platform}.{task}.enabled", True)
        settle(f"plugins.{platform}.{task}.provider", "stub")
        settle(f"plugins.{platform}.{task}.min_interval_hours", 0)


def run(project: Project, task: str = "project_review", **over: Any) -> UpkeepRun:
    """Ask for a run and work on it; return what became of it."""
    made = runs.ask(project=project, task=task, trigger=runs.BY_HAND, at=timezone.now(), **over)
    runs.run_due(at=timezone.now())
    made.refresh_from_db()
    return made


def memory(project: Project, path: str = "") -> Path:
    return Path(project.memory_dir, path)


def write_more(project: Project, body: str = "- Went on", *, day: str = DAY) -> None:
    """Append an entry to a journal, as an agent's plugin does."""
    with memory(project, f"memory/{day}.md").open("a") as file:
        file.write(make_entry_text("10:00", turn="2", body=body))
