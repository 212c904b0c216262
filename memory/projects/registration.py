"""Where a project's memory lies, and why a directory cannot be one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from memory.descriptors import DiskError
from memory.disk import Tree

MEMORY_DIRECTORY = ".memsearch"

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class CannotRegister(ValueError):
    """A directory that cannot become a project; the message is one sentence for people, `field` says which input."""

    def __init__(self, message: str, *, field: str = "root") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Place:
    """A project's directory and its memory, both real paths."""

    root: Path
    memory_dir: Path


def locate(text: str) -> Place:
    """Find the memory of the directory that a person named. Raises CannotRegister.

    `MEMSEARCH_DIR` stands for every project's `.memsearch`, as in MemSearch. A `.memsearch` directory itself stands
    for the project that holds it. It may be a link (git worktrees share one tree): its real path is what counts.
    """
    root = _directory(text)
    if root.name == MEMORY_DIRECTORY:
        root = root.parent
    memory = Path(os.environ.get("MEMSEARCH_DIR") or root / MEMORY_DIRECTORY).expanduser()
    if not memory.is_dir():
        raise CannotRegister(f"{root} has no {MEMORY_DIRECTORY} directory: nothing was remembered there yet.")
    try:
        with Tree(memory) as tree:
            tree.scan()
    except DiskError as exc:
        raise CannotRegister(f"{memory}: {exc}") from exc
    return Place(root, memory.resolve())


def _directory(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise CannotRegister("A project needs the path of its directory.")
    if os.name != "nt" and _WINDOWS.match(text):
        raise CannotRegister(f"{text} is a path on Windows; this MemDock runs on another system and cannot see it.")
    try:
        path = Path(text).expanduser()
        if not path.exists():
            raise CannotRegister(f"{text} does not exist.")
        if not path.is_dir():
            raise CannotRegister(f"{text} is not a directory.")
        return path.resolve()
    except RuntimeError as exc:  # ~somebody
        raise CannotRegister(f"{text} names a person whom this machine does not know.") from exc
    except OSError as exc:
        raise CannotRegister(f"{text} cannot be read: {exc.strerror}.") from exc
