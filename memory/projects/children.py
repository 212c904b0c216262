"""Repositories directly below a directory that is none itself."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memory import descriptors
from memory.projects import repositories
from memory.projects.repositories import Repository

BUDGET_S = 0.2
"""How long a directory may take (Engram's budget); a slow disk must not hold up an agent's start."""

_SKIPPED = {"node_modules", "vendor", ".venv", "__pycache__", "target", "dist", "build", ".idea", ".vscode"}


def below(directory: Path, *, budget_s: float = BUDGET_S) -> list[Repository]:
    """Return all of them by name, or none when time ran out: half a list would be taken for the whole."""
    until = time.monotonic() + budget_s
    found: list[Repository] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if time.monotonic() >= until:
                    return []
                if _counts(entry) and (repository := repositories.at(Path(entry.path))):
                    found.append(repository)
    except OSError:
        return []
    return sorted(found, key=lambda repository: repository.root.name)


def _counts(entry: os.DirEntry[str]) -> bool:
    is_named = descriptors.is_plain(entry.name) and not entry.name.startswith(".") and entry.name not in _SKIPPED
    return is_named and entry.is_dir(follow_symlinks=False)
