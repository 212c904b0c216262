"""`memdock maintain`: runs what is due of upkeep, here and now."""

from __future__ import annotations

import sys
from dataclasses import asdict

from django.core.management.base import CommandError, CommandParser

from memory.configuration.keys import TASKS
from memory.journal.grammar import clean
from memory.maintenance import command
from memory.maintenance.command import Report
from memory.management import indexing
from memory.management.base import MemdockCommand, add_json
from memory.models import Project
from memory.projects import queries


class Command(MemdockCommand):
    help = "run what is due of upkeep: PROJECT.md, USER.md and skill candidates"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", default="", help="one project only")
        parser.add_argument("--task", choices=TASKS, help="one task only")
        parser.add_argument("--force", action="store_true", help="also before its time, and without new journals")
        add_json(parser)

    def handle(self, *, project: str, task: str | None, force: bool, as_json: bool, **options: object) -> None:
        tasks = (task,) if task else TASKS
        found = [command.run(row, name, is_forced=force) for row in _projects(project) for name in tasks]
        indexing.follow(self.say)
        self.report([asdict(one) for one in found], map(_line, found), as_json=as_json)
        if count := sum(one.action == "error" for one in found):
            self.say(f"{count} of {len(found)} tasks failed." if count > 1 else "A task failed.")
            sys.exit(1)


def _projects(name: str) -> list[Project]:
    if not name:
        return list(Project.objects.exclude(memory_dir="").order_by("name"))
    found = queries.find(name)
    if found is None:
        raise CommandError(f"There is no project {name}.")
    if not found.memory_dir:
        raise CommandError(f"{found.name} has no directory: it is known from agents only.")
    return [found]


def _line(report: Report) -> str:
    words = f"{report.project} {report.task}: {report.action}"
    return clean(f"{words} ({report.reason})" if report.reason else words).replace("\n", " ")
