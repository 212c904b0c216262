"""What the health page prints."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import django
from django.conf import settings
from django.db import connection
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from dock import files
from dock.contexts import captures, links
from dock.contexts.captures import Outbox
from dock.contexts.health_search import SearchIndex, search_index
from memory import doctor
from memory.doctor.check import Check, State
from memory.models import Project
from memory.projects import queries

PROBLEMS = 50
"""Problems of one project that the page lists."""

_WALKED = 20_000  # files; a data directory with more says "at least"
_WORST_FIRST = {"bad": 0, "warn": 1, "ok": 2}


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One finding; a command in its hint is marked as code."""

    name: str
    title: str
    state: State
    text: str
    hint: SafeString


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One file and what is wrong with it."""

    path: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One project: what it holds and what could not be read; `more` problems are not listed."""

    name: str
    url: str
    memory_dir: str
    entries: int
    sessions: int
    synced_at: datetime | None
    sync_url: str
    problems: list[ProblemRow]
    more: int


@dataclass(frozen=True, slots=True)
class Health:
    """The health page."""

    summary: str
    checked_at: datetime
    checks: list[CheckRow]
    versions: list[tuple[str, str]]
    data_directory: str
    data_size: str
    projects: list[ProjectRow]
    search: SearchIndex
    captures: Outbox


def health(*, can_sync: bool, can_rebuild: bool, at: datetime) -> Health:
    """Look at everything that is quick to look at. Ten queries, and two a project."""
    checks = sorted(doctor.examine(at=at), key=lambda check: _WORST_FIRST[check.state])
    return Health(
        summary=_summary(checks),
        checked_at=at,
        checks=[CheckRow(one.name, one.title, one.state, one.text, _coded(one.hint)) for one in checks],
        versions=_versions(),
        data_directory=str(settings.DATA_DIR),
        data_size=_size(settings.DATA_DIR),
        projects=[_project(row, can_sync=can_sync) for row in queries.overview()],
        search=search_index(can_rebuild=can_rebuild),
        captures=captures.outbox(),
    )


def _summary(checks: list[Check]) -> str:
    fine = sum(check.state == "ok" for check in checks)
    return f"All {fine} checks are fine" if fine == len(checks) else f"{fine} of {len(checks)} checks are fine"


def _coded(text: str) -> SafeString:
    """Turn `…` into code, as Markdown does; everything else stays as it is."""
    pieces = re.split("`([^`]+)`", text)
    return format_html_join("", "{}{}", zip(pieces[::2], [*map(_code, pieces[1::2]), ""], strict=True))


def _code(text: str) -> SafeString:
    return format_html("<code>{}</code>", text)


def _versions() -> list[tuple[str, str]]:
    database = ".".join(map(str, connection.get_database_version()))
    return [
        ("MemDock", settings.VERSION),
        ("Django", django.get_version()),
        ("Python", platform.python_version()),
        (connection.display_name, database),
    ]


def _size(directory: Path) -> str:
    """Say how much lies in a directory."""
    total = count = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            count += 1
            total += _bytes(Path(folder, name))
        if count > _WALKED:
            return f"at least {files.size_words(total)}"
    return files.size_words(total)


def _bytes(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # removed while we looked
        return 0


def _project(row: Project, *, can_sync: bool) -> ProjectRow:
    return ProjectRow(
        name=row.name,
        url=links.to("journal-list", project=row.name),
        memory_dir=row.memory_dir,
        entries=row.entry_count,  # type: ignore[attr-defined]
        sessions=row.session_count,  # type: ignore[attr-defined]
        synced_at=row.synced_at,
        sync_url=links.to("project-sync", row.name) if can_sync and row.memory_dir else "",
        problems=[_problem(row, **problem) for problem in row.problems[:PROBLEMS]],
        more=max(0, len(row.problems) - PROBLEMS),
    )


def _problem(project: Project, *, path: str, text: str) -> ProblemRow:
    return ProblemRow(path or ".memsearch", text, links.to("file-browser", project.name, path=path))
