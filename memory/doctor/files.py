"""Checks of the projects: their folders, and whether the rows say what the files say."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from django.db.models import Count

from memory.disk import DiskError, Missing, Tree
from memory.doctor.check import Check
from memory.journal import grammar
from memory.journal.sync import DIRECTORY, READ_LIMIT
from memory.models import Project


def projects(only: Project | None, *, is_thorough: bool) -> list[Check]:
    """Check all projects that have a directory, or one. Two queries each."""
    rows = [only] if only else list(Project.objects.exclude(memory_dir="").order_by("name"))
    return [_check(row, is_thorough=is_thorough) for row in rows] or [
        Check("projects", "Projects", "ok", "There are none yet.", "Add one with `memdock add PATH`.")
    ]


def _check(project: Project, *, is_thorough: bool) -> Check:
    name, title = f"project:{project.name}", f"Project {project.name}"
    if not project.memory_dir:
        return Check(name, title, "ok", "It has no directory; agents named it.")
    try:
        with Tree(Path(project.memory_dir)) as tree:
            drift = _drift(project, tree, is_thorough=is_thorough)
    except DiskError as exc:
        return Check(
            name, title, "bad", f"{project.memory_dir}: {exc}", "Bring the folder back, or remove the project."
        )
    if drift:
        text = f"Rows and files differ in {len(drift)} journals, {drift[0]} first."
        return Check(name, title, "warn", text, f"Run `memdock sync {project.name}`.")
    if project.problems:
        worst = project.problems[0]
        more = f" And {len(project.problems) - 1:,} more." if len(project.problems) > 1 else ""
        text = f"{worst['path'] or '.memsearch'}: {worst['text']}{more}"
        return Check(name, title, "warn", text, "See `memdock sync` for all of them.")
    return Check(name, title, "ok", "Its rows say what its files say.")


def _drift(project: Project, tree: Tree, *, is_thorough: bool) -> list[str]:
    """Return the journals whose rows differ from their files, by path: in the number of entries, or else in size.

    Files that are known not to be read are left out: they are problems already.
    """
    told = {problem["path"] for problem in project.problems}
    sizes = _sizes(tree)
    files = {path: _entries(tree, path) for path in sizes.keys() - told} if is_thorough else sizes
    rows = _counted(project) if is_thorough else dict(project.journals.values_list("path", "size"))
    return sorted(path for path in (files.keys() | rows.keys()) - told if files.get(path) != rows.get(path))


def _sizes(tree: Tree) -> dict[str, int]:
    try:
        items = tree.scan(DIRECTORY)
    except Missing:
        return {}
    return {f"{DIRECTORY}/{item.name}": item.size for item in items if item.kind == "file" and _is_day(item.name)}


def _is_day(name: str) -> bool:
    day = name.removesuffix(".md")
    try:
        return len(name) == len("2026-01-31.md") and date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


def _entries(tree: Tree, path: str) -> int:
    return len(grammar.parse(tree.read(path, limit=READ_LIMIT).data).entries)


def _counted(project: Project) -> dict[str, int]:
    return dict(project.journals.annotate(found=Count("entries")).values_list("path", "found"))
