"""Django's command line with MemDock's commands in front."""

from __future__ import annotations

import difflib
import sys
from importlib import import_module

from django.conf import settings
from django.core.management import ManagementUtility, get_commands, load_command_class
from django.core.management.base import BaseCommand

from memsite.cli import OWN, USAGE

APPS = {"memory", "dock"}


class MemdockUtility(ManagementUtility):
    """Finds `sign-in-link` in `sign_in_link.py`, and lists our commands with what each of them does."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command of this name; an unknown one is bad usage, exit 2."""
        settings.INSTALLED_APPS  # noqa: B018 - a wrong setting is told before a command is called unknown
        name = subcommand.replace("-", "_")
        if name not in get_commands():
            _refuse(subcommand)
        return super().fetch_command(name)

    def main_help_text(self, commands_only: bool = False) -> str:  # noqa: FBT001, FBT002 - Django's signature
        """Return our commands with a line each, or for `help --commands` the bare names of all."""
        if commands_only:
            return super().main_help_text(commands_only=True)
        lines = [f"  {name:<14} {text}" for name, text in _summaries()]
        head = ["usage: memdock COMMAND [options]", "", "commands:", *lines, ""]
        return "\n".join(
            [*head, "`memdock help COMMAND` says more; Django's own commands work too: `memdock help --commands`."]
        )


def _summaries() -> list[tuple[str, str]]:
    found = {name: import_module(module).HELP for name, module in OWN.items()}
    for name, app in get_commands().items():
        if app in APPS:
            found[name.replace("_", "-")] = load_command_class(app, name).help
    return sorted((name, text) for name, text in found.items() if text)


def _refuse(name: str) -> None:
    known = [*OWN, *(command.replace("_", "-") for command in get_commands())]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    print(f"memdock: there is no command {name}.{hint} `memdock --help` lists them.", file=sys.stderr)
    sys.exit(USAGE)
