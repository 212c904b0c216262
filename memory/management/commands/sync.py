"""`memdock sync`: reads again what changed on disk."""

from __future__ import annotations

from dataclasses import asdict

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.management import indexing, reports
from memory.management.base import MemdockCommand, add_json
from memory.models import Project
from memory.projects import queries, sync


class Command(MemdockCommand):
    help = "read again what changed on disk"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", nargs="?", default="", help="one project; all without it")
        add_json(parser)

    def handle(self, *, project: str, as_json: bool, **options: object) -> None:
        found = [sync.sync(row, at=timezone.now()) for row in _projects(project)]
        indexing.follow(self.say)
        lines = [line for report in found for line in reports.of_project(report)]
        self.report([asdict(report) for report in found], lines or ["There are no projects yet."], as_json=as_json)


def _projects(name: str) -> list[Project]:
    if not name:
        return list(Project.objects.exclude(memory_dir="").order_by("name"))
    found = queries.find(name)
    if found is None:
        raise CommandError(f"There is no project {name}.")
    if not found.memory_dir:
        raise CommandError(f"{found.name} has no directory: it is known from agents only.")
    return [found]
