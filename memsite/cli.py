"""The `memdock` script: MemDock's commands and Django's, with one clear line for what a person can put right."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module

from memsite import lifeline
from memsite.failure import Failure

OWN = {"up": "memsite.up", "web": "memsite.web"}
"""Commands that start before Django is loaded, by their modules."""

USAGE = 2
_YOUNG = 50_000
"""Objects between two looks for garbage."""


def main() -> None:
    """Run a command; exit 0 when done, 1 when it failed, 2 for bad usage."""
    if sys.argv[1:2] == ["hook"]:  # agents wait for it: Django is not loaded
        from memsite.hook import main as hook

        sys.exit(hook(sys.argv[2:]))
    _collect_less()
    os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.settings"
    from django.core.exceptions import ImproperlyConfigured

    arguments = lifeline.take(sys.argv[1:])
    try:
        _run(arguments)
    except (ImproperlyConfigured, Failure) as exc:
        print(exc, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # `memdock … | head`: whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _run(arguments: list[str]) -> None:
    if len(arguments) == 2 and arguments[0] == "help" and arguments[1] in OWN:
        arguments = [arguments[1], "--help"]
    if arguments in (["--version"], ["version"]):
        print(f"memdock {_version()}")
    elif arguments and arguments[0] in OWN:
        import_module(OWN[arguments[0]]).main(arguments[1:])
    else:
        from memsite.utility import MemdockUtility

        MemdockUtility(["memdock", *arguments]).execute()


def _collect_less() -> None:
    """Spare a short command a quarter of its time: looks for garbage while it loads, and the last one, find nothing."""
    gc.set_threshold(_YOUNG)
    atexit.register(gc.freeze)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow, and hooks wait for this module

    try:
        return version("memdock")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "0"


if __name__ == "__main__":
    main()
