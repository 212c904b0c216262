"""`memdock doctor`: what is in order, and what to do where it is not."""

from __future__ import annotations

import sys
from dataclasses import asdict

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory import doctor
from memory.doctor.check import Check
from memory.management.base import MemdockCommand, add_json
from memory.models import Project
from memory.projects import queries

_MARKS = {"ok": "ok  ", "warn": "WARN", "bad": "BAD "}


class Command(MemdockCommand):
    help = "check everything; exit 1 when something is broken"
    needs_database = False  # what is wrong with it is for the checks to say

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", default="", help="check the files of one project only")
        add_json(parser)

    def handle(self, *, project: str, as_json: bool, **options: object) -> None:
        checks = doctor.examine(project=_project(project), at=timezone.now(), is_thorough=True)
        is_well = not any(check.state == "bad" for check in checks)
        lines = [line for check in checks for line in _lines(check)]
        self.report({"ok": is_well, "checks": [asdict(check) for check in checks]}, lines, as_json=as_json)
        if not is_well:
            sys.exit(1)


def _project(name: str) -> Project | None:
    found = queries.find(name) if name else None
    if name and found is None:
        raise CommandError(f"There is no project {name}.")
    return found


def _lines(check: Check) -> list[str]:
    line = f"{_MARKS[check.state]} {check.title}: {check.text}"
    return [line, f"     → {check.hint}"] if check.hint else [line]
