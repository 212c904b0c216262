"""Reads everything of a project that changed on disk."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from memory import changes, locks, refs
from memory.changes import Note
from memory.disk import DiskError, Tree
from memory.documents import sync as documents
from memory.journal import sync as journals
from memory.models import Project
from memory.problems import Problem
from memory.skills import sync as skills

LOCKS = "locks"
"""Below the data directory: one file a project, held while it is read."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a project holds after it was read; the JSON of `memdock add` and `memdock sync`."""

    project: str
    root: str
    memory_dir: str
    journals: int
    entries: int
    sessions: int
    skills: int
    problems: list[dict[str, str]]


def sync(project: Project, *, at: datetime) -> Report:
    """Follow the project's tree; a file that cannot be read becomes a problem and stops nothing else.

    While the tree itself is missing (a disk that is not mounted, a checkout on its way) its rows stay as they are.
    Readings of one project follow one another: of two at once, the one that read first could write last.
    """
    with locks.held(lock(project)):
        _record(project, _read(project, at=at), at=at)
    return report(project)


def report(project: Project) -> Report:
    """Count what a project holds. Four queries."""
    return Report(
        project=project.name,
        root=project.root,
        memory_dir=project.memory_dir,
        journals=project.journals.count(),
        entries=project.entries.count(),
        sessions=project.sessions.count(),
        skills=project.skills.count(),
        problems=project.problems,
    )


def lock(project: Project) -> Path:
    """Return the file that is held while a project is read; its folder is made."""
    folder = Path(settings.DATA_DIR) / LOCKS
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"project-{project.pk}"


def _read(project: Project, *, at: datetime) -> list[Problem]:
    if not project.memory_dir:  # only agents named it so far; an empty path would be the working directory
        return []
    try:
        with Tree(Path(project.memory_dir)) as tree:
            return [
                *journals.sync(project, tree, at=at),
                *skills.sync(project, tree, at=at),
                *documents.sync(project, tree, at=at),
            ]
    except DiskError as exc:
        return [Problem("", str(exc))]


@transaction.atomic
def _record(project: Project, found: list[Problem], *, at: datetime) -> None:
    """Keep the problems; tell the feed when they are other ones than before."""
    problems = [asdict(problem) for problem in sorted(found, key=lambda problem: (problem.path, problem.text))]
    if problems == project.problems and project.synced_at:
        return
    is_news = problems != project.problems
    project.problems, project.synced_at = problems, at
    project.save(update_fields=["problems", "synced_at"])
    if is_news:
        changes.append([Note("project.changed", refs.project(project), project.name)], project=project, at=at)
