"""A run of upkeep in a process that ends in the middle of it, again and again: before a statement, before a rename."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from memory.maintenance import runs, state
from memory.models import DocumentRevision, Project, UpkeepRun
from memory.search import index
from tests.makers import make_project, make_tree
from tests.memory.maintenance.scenes import DAY, memory, switch_on, write_more

_WATCHED = {"os.rename", "os.remove", "os.mkdir", "open"}
_FILLING = "A line of a long document.\n" * 2000


def text(number: int) -> str:
    """Return the document that the model writes in a round."""
    return f"# Round {number}\n{_FILLING}"


def storm(root: Path, url: str, *, kills: int) -> list[dict[str, Any]]:
    """Kill a run at so many places between its beginning and its end; return what was there after each, and at last."""
    switch_on(url)
    project = make_project(make_tree(root, {DAY: ""}))
    _ask(project, 1001)
    runs.run_due(at=timezone.now())  # so that everything is imported
    total = _steps_of_a_whole_run(project)
    found = [_round(project, number, total * number // kills) for number in range(1, kills + 1)]
    return [{"total": total}, *found]


def _round(project: Project, number: int, step: int) -> dict[str, Any]:
    document = memory(project, "PROJECT.md")
    before = document.read_text()
    made = _ask(project, number)
    status = _apart(lambda: _die_at(step))
    after = document.read_text()
    is_edited = number % 3 == 0 and after == before
    if is_edited:  # a person writes while nothing runs
        document.write_text(f"# Mine {number}\n")
    runs.run_due(at=timezone.now())
    made.refresh_from_db()
    mine, now = f"# Mine {number}\n", document.read_text()
    kept = [now, *DocumentRevision.objects.filter(document__project=project).values_list("text", flat=True)]
    return {
        "killed": os.WIFSIGNALED(status),
        "whole": after in {before, text(number)},
        "state": made.state,
        "error": made.error,
        "is_new": now == text(number),
        "edit_kept": not is_edited or mine in kept,
        "edit_seen": not is_edited or made.state == "failed" or made.before == mine,
        "entry": state.entry(memory(project), "dsh", "project_review")["last_action"],
        "left": [path.name for pattern in (".*.lock", ".PROJECT*") for path in memory(project).glob(pattern)],
    }


def _ask(project: Project, number: int) -> UpkeepRun:
    write_more(project, f"- Went on to round {number}")
    return runs.ask(project=project, task="project_review", force=True, trigger=runs.BY_HAND, at=timezone.now())


def _steps_of_a_whole_run(project: Project) -> int:
    _ask(project, 1002)
    reading, writing = os.pipe()
    _apart(lambda: os.write(writing, str(_count(lambda steps: None)).encode()))
    return int(os.read(reading, 20))


def _die_at(step: int) -> None:
    _count(lambda steps: os.kill(os.getpid(), signal.SIGKILL) if steps == step else None)


def _count(told: Callable[[int], object]) -> int:
    """Work on what waits; say of each step that it comes, and return how many there were.

    The search index is left to others: when it follows depends on the clock, and steps have to be the same each time.
    """
    index.disconnect()
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        told(steps)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _WATCHED and (event != "open" or arguments[2] & (os.O_CREAT | os.O_WRONLY)):
            step()

    def execute(ask: Callable[..., Any], *arguments: Any) -> Any:
        step()
        return ask(*arguments)

    sys.addaudithook(watch)
    with connection.execute_wrapper(execute):
        runs.run_due(at=timezone.now())
    return steps


def _apart(work: Callable[[], object]) -> int:
    """Do something in a process of its own; return how that ended."""
    connection.close()
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]
