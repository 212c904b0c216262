"""Imports a directory that holds `.memsearch`: it becomes a project, and its files are read where they are."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime
from typing import Any

from memory.audit import COMMAND
from memory.descriptors import DiskError
from memory.disk import Missing, Tree
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.report import Note, Tally
from memory.journal import grammar
from memory.journal.sessions import external_id
from memory.journal.sync import DIRECTORY, READ_LIMIT
from memory.models import Project
from memory.projects import actions, names, registration, sync
from memory.projects.names import InvalidName
from memory.projects.registration import CannotRegister, Place
from memory.projects.sync import Report
from memory.skills import store

_DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md", re.ASCII)


def read(path: str, name: str, tally: Tally, *, dry_run: bool, at: datetime) -> dict[str, Any]:
    """Register a directory, under a name if one is given, and read its files; return what `memdock add` reports.

    A dry run reads the files only. Raises CannotImport.
    """
    try:
        place = registration.locate(path)
        found = _foreseen(place, name, tally) if dry_run else _read(path, name, tally, at=at)
    except (CannotRegister, InvalidName, DiskError) as exc:
        raise CannotImport(str(exc)) from exc
    tally.problems += [Note(one["path"] or found.memory_dir, one["text"]) for one in found.problems]
    return asdict(found)


def _read(path: str, name: str, tally: Tally, *, at: datetime) -> Report:
    project, _ = actions.add(path=path, name=name, actor=COMMAND, at=at)
    before = _named(project)
    found = sync.sync(project, at=at)
    _count(tally, before, _named(project))
    return found


def _foreseen(place: Place, name: str, tally: Tally) -> Report:
    """Tell what reading a tree would come to, from its files alone."""
    project = _project(place, name)
    before = _named(project) if project.pk else set()
    others = project.sessions.values_list("external_id", flat=True) if project.pk else []
    days: dict[str, tuple[int, set[str]]] = {}
    problems: list[dict[str, str]] = []
    with Tree(place.memory_dir) as tree:
        for day in _days(tree):
            try:
                days[day] = _day(tree, day)
            except DiskError as exc:
                problems.append({"path": day, "text": str(exc)})
        skills, _ = store.read_all(tree)
    ids = {id_ for _, named in days.values() for id_ in named}
    _count(tally, before, ids)
    return Report(
        project=project.name,
        root=str(place.root),
        memory_dir=str(place.memory_dir),
        journals=len(days),
        entries=sum(entries for entries, _ in days.values()),
        sessions=len(ids | set(others)),
        skills=len(skills),
        problems=problems,
    )


def _project(place: Place, name: str) -> Project:
    """Return the project that a directory is, or is going to be: one that agents named may not have a directory yet."""
    wanted = names.canonical(names.validate(name)) if name else names.from_directory(place.root)
    known = Project.objects.filter(memory_dir=str(place.memory_dir)).first()
    return known or Project.objects.filter(name=wanted).first() or Project(name=wanted)


def _named(project: Project) -> set[str]:
    """Return the ids of the sessions that the project's journals name."""
    return set(project.sessions.filter(entries__isnull=False).values_list("external_id", flat=True))


def _count(tally: Tally, before: set[str], after: set[str]) -> None:
    tally.counts["sessions", "new"] += len(after - before)
    tally.counts["sessions", "same"] += len(after & before)


def _days(tree: Tree) -> list[str]:
    try:
        items = tree.scan(DIRECTORY)
    except Missing:
        return []
    return [f"{DIRECTORY}/{item.name}" for item in items if item.kind == "file" and _DAY_FILE.fullmatch(item.name)]


def _day(tree: Tree, path: str) -> tuple[int, set[str]]:
    """Return how many entries a day file has, and the sessions that they name."""
    entries = grammar.parse(tree.read(path, limit=READ_LIMIT).data).entries
    return len(entries), {external_id(one.anchor.session) for one in entries if one.anchor and one.anchor.session}
