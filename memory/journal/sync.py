"""Reads day files into rows: only what changed, one transaction a file, one bad file never stopping the others."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from dataclasses import dataclass
from datetime import date, datetime

from django.db import OperationalError

from memory.disk import DiskError, Item, Missing, Tree
from memory.journal import grammar, rows
from memory.models import Journal, Project
from memory.problems import Problem

logger = logging.getLogger("memdock.journal")

DIRECTORY = "memory"
READ_LIMIT = 64 * 1024 * 1024
"""A day file beyond this many bytes is reported and not read."""

_CLOCK_TICK_NS = 2_000_000_000
_DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md", re.ASCII)


@dataclass(frozen=True, slots=True)
class DayFile:
    """A journal on disk."""

    date: date
    item: Item

    @property
    def path(self) -> str:
        return f"{DIRECTORY}/{self.item.name}"


def sync(project: Project, tree: Tree, *, at: datetime) -> list[Problem]:
    """Follow the day files of a tree; return what could not be read."""
    days, problems = _scan(tree)
    known = {journal.date: journal for journal in project.journals.defer("notes")}
    for day in days:
        journal = known.pop(day.date, None)
        try:
            problems += _follow(project, tree, day, journal, at=at)
        except DiskError as exc:
            problems.append(Problem(day.path, str(exc)))
        except OperationalError:  # a busy database: whoever asked for the reading tries all of it again
            raise
        except Exception:  # our mistake on one file must not hide all the others
            logger.exception("%s of %s could not be read", day.path, project.name)
            problems.append(Problem(day.path, "MemDock failed on this file; its log says why."))
    unread = {problem.path for problem in problems}
    for journal in known.values():  # what cannot be read, as a day that turned into a link, is not gone
        if not unread & {DIRECTORY, journal.path}:
            rows.remove(journal, at=at)
    return problems


def _scan(tree: Tree) -> tuple[list[DayFile], list[Problem]]:
    days, problems = [], []
    try:
        items = tree.scan(DIRECTORY)
    except Missing:
        return [], []
    except DiskError as exc:
        return [], [Problem(DIRECTORY, str(exc))]
    for item in items:
        day = _date(item.name)
        if day is None:
            continue
        if item.kind == "file":
            days.append(DayFile(day, item))
        else:
            problems.append(
                Problem(f"{DIRECTORY}/{item.name}", f"This is a {item.kind}, not a file; it is not followed.")
            )
    return days, problems


def _date(name: str) -> date | None:
    if not _DAY_FILE.fullmatch(name):
        return None
    try:
        return date.fromisoformat(name.removesuffix(".md"))
    except ValueError:
        return None


def _follow(project: Project, tree: Tree, day: DayFile, journal: Journal | None, *, at: datetime) -> list[Problem]:
    if journal and _is_unchanged(journal, day.item):
        return [Problem(day.path, text) for text in journal.problems]
    read_ns = time.time_ns()
    content = tree.read(day.path, limit=READ_LIMIT + 1)
    if len(content.data) > READ_LIMIT:
        return [Problem(day.path, f"This file is larger than {READ_LIMIT // 1024**2} MB; it was not read.")]
    stamp = rows.Stamp(
        path=day.path,
        size=content.size,
        modified_ns=content.modified_ns,
        read_ns=read_ns,
        content_hash=hashlib.sha256(content.data).hexdigest(),
    )
    if journal and journal.content_hash == stamp.content_hash:
        rows.touch(journal, stamp)
        return [Problem(day.path, text) for text in journal.problems]
    parsed = grammar.parse(content.data)
    rows.write(project, day.date, journal, stamp, parsed, at=at)
    return [Problem(day.path, text) for text in parsed.problems]


def _is_unchanged(journal: Journal, item: Item) -> bool:
    """Trust size and time only when the file was already at rest as it was read (git's "racy" rule)."""
    return (
        journal.size == item.size
        and journal.modified_ns == item.modified_ns
        and journal.read_ns - journal.modified_ns > _CLOCK_TICK_NS
    )
