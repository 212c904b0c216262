"""Processes of MemDock that a test starts, talks to and kills."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.places import ROOT

_START = """
import atexit, gc, os, sys
import django
atexit.register(gc.freeze)  # as memsite.cli: no last look for garbage
os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.settings"
django.setup()
"""


@contextmanager
def running(environment: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run Python with these arguments while the block lasts; what has not ended by then is killed."""
    pipe = subprocess.PIPE
    command = [sys.executable, *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | environment, stdin=pipe, stdout=pipe, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def script(text: str) -> tuple[str, str]:
    """Return the arguments with which Python runs a text after Django's start."""
    return "-c", _START + text


def run(environment: dict[str, str], text: str, *arguments: str) -> str:
    """Run a text after Django's start; return what it printed."""
    command = [sys.executable, *script(text), *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.strip()
