"""Programs on this machine: MemDock's own command, and the agents."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BARE = "memdock"

_SECONDS = 20
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")

type Version = tuple[int, int, int]


def memdock() -> str:
    """Return the absolute path of this MemDock's command: the one on PATH if it is this one, which stays with updates."""
    name = "memdock.exe" if os.name == "nt" else BARE
    own, known = Path(sys.executable).with_name(name), shutil.which(BARE)
    if known and (not own.exists() or Path(known).samefile(own)):
        return str(Path(known).absolute())
    return str(own.absolute()) if own.exists() else BARE


def version(program: str) -> Version | None:
    """Return an agent's version, None where it is not on PATH or does not tell."""
    if not (path := shutil.which(program)):
        return None
    try:
        done = subprocess.run(  # noqa: S603 - an agent that is asked for its version
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stdout)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
