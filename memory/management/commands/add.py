"""`memdock add`: registers a project and reads its memory."""

from __future__ import annotations

from dataclasses import asdict

from django.core.management.base import CommandParser
from django.utils import timezone

from memory.audit import COMMAND
from memory.management import indexing, reports
from memory.management.base import MemdockCommand, add_json
from memory.projects import actions, sync
from memory.projects.names import InvalidName
from memory.projects.registration import CannotRegister


class Command(MemdockCommand):
    help = "register a project and read its .memsearch"
    expected = (CannotRegister, InvalidName)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", help="the project's directory")
        parser.add_argument("--name", default="", help="its name, when the directory's is not the right one")
        add_json(parser)

    def handle(self, *, path: str, name: str, as_json: bool, **options: object) -> None:
        project, is_new = actions.add(path=path, name=name, actor=COMMAND, at=timezone.now())
        if not is_new:
            self.say(f"{project.name} was registered already.")
        if outer := actions.enclosing(project):
            self.say(
                f"This directory lies inside {outer.name} ({outer.root}); both are kept, each with its own memory."
            )
        found = sync.sync(project, at=timezone.now())
        indexing.follow(self.say)
        self.report(asdict(found), reports.of_project(found), as_json=as_json)
