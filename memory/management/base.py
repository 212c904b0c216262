"""What MemDock's commands share: one clear line for a failure, and a report as text or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DatabaseError

from memory.management import database


class MemdockCommand(BaseCommand):
    """A command whose failures are one line on stderr and exit 1.

    `expected` are exceptions whose text is a sentence for people. The database is brought up to date first, so that
    every command works on a new machine, unless `needs_database` says that it is not needed.
    """

    expected: tuple[type[Exception], ...] = ()
    needs_database = True
    requires_system_checks = []
    _called_from_command_line = False  # Django's own, which sets it when nobody is there to catch an exception
    suppressed_base_arguments = {
        "--version", "--verbosity", "--settings", "--pythonpath", "--no-color", "--force-color", "--skip-checks",
    }  # fmt: skip

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Make a parser that takes no abbreviations: a script must not break when an option is added."""
        name = subcommand.replace("_", "-")
        return super().create_parser(prog_name, name, **{"allow_abbrev": False, **kwargs})

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; raise CommandError, or from a command line say why it failed and exit."""
        try:
            if self.needs_database:
                database.prepare()
            return super().execute(*args, **options)
        except Exception as exc:
            failure = self._failure(exc, trace=bool(options.get("traceback")))
            if failure is None:
                raise
            if not self._called_from_command_line:
                raise failure from exc
            self._exit(failure)

    def say(self, text: str) -> None:
        """Tell the person something that is not the result."""
        self.stderr.write(text, style_func=str)

    def report(self, data: object, lines: Iterable[str], *, as_json: bool) -> None:
        """Print the result: one JSON document, or lines for a person."""
        if as_json:
            self.stdout.write(json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))
            return
        for line in lines:
            self.stdout.write(line)

    def _failure(self, exc: Exception, *, trace: bool) -> CommandError | None:
        if trace:
            return None
        if isinstance(exc, CommandError):
            return exc
        if isinstance(exc, DatabaseError):
            return CommandError(database.sentence(exc))
        if isinstance(exc, (ImproperlyConfigured, *self.expected)):
            return CommandError(str(exc))
        if not self._called_from_command_line:
            return None
        return CommandError(f"MemDock failed: {type(exc).__name__}: {exc} (--traceback shows where).")

    def _exit(self, failure: CommandError) -> NoReturn:
        self.say(" ".join(str(failure).split()))
        sys.exit(failure.returncode)


def add_json(parser: CommandParser) -> None:
    """Add `--json`, read as `as_json`."""
    parser.add_argument("--json", dest="as_json", action="store_true", help="print one JSON document")
