"""Runs all checks; one that fails itself is a finding, too."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from memory.doctor import agent_loop, artifacts, database, files, plugins, processes, search, system
from memory.doctor.check import Check
from memory.models import Project

logger = logging.getLogger("memdock.doctor")


def examine(*, project: Project | None = None, at: datetime, is_thorough: bool = False) -> list[Check]:
    """Look at everything, or at the files of one project only.

    A thorough look reads the whole database and all journals (seconds); the other one is for a page (fifteen queries,
    two a project and one a consumer).
    """
    reached = database.reached()
    if reached.state == "bad":
        return [reached, *_run(_without_database())]
    tables = database.migrations()
    if tables.state == "bad":  # nearly every other check would only say that its tables are not there
        return [reached, tables, *_run(_without_database())]
    checks = [] if project else [*_without_database(), *_with_database(at, is_thorough=is_thorough)]
    found = _run(iter([*checks, partial(files.projects, project, is_thorough=is_thorough)]))
    return [reached, *found] if project else [reached, tables, *found]


def _without_database() -> Iterator[Callable[[], list[Check]]]:
    yield from (system.versions, system.data_directory, system.secrets, system.space, system.refused, system.doors)


def _with_database(at: datetime, *, is_thorough: bool) -> Iterator[Callable[[], list[Check]]]:
    if is_thorough:
        yield database.integrity
        yield system.watching
        yield search.drift
        yield artifacts.kept
    yield from (database.feed, search.kept, artifacts.room, partial(processes.alive, at=at))
    yield from (plugins.plugins, plugins.consumers, agent_loop.updates)


def _run(checks: Iterator[Callable[[], list[Check]]]) -> Iterator[Check]:
    for check in checks:
        try:
            yield from check()
        except Exception as exc:  # a doctor that dies of what it finds helps nobody
            name = getattr(check, "__name__", "check")
            logger.exception("The check %s failed", name)
            yield Check(name, "A check", "bad", f"It could not be done: {type(exc).__name__}: {exc}.")
