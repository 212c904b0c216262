"""Real git repositories for tests, made without the configuration of the person who runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_CLEAN = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Mira",
    "GIT_AUTHOR_EMAIL": "mira@example.org",
    "GIT_COMMITTER_NAME": "Mira",
    "GIT_COMMITTER_EMAIL": "mira@example.org",
}


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", directory, *arguments], check=True, capture_output=True, env=_CLEAN)


def make_repository(root: Path, *, origin: str = "") -> Path:
    """Make a repository with one commit."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    if origin:
        git(root, "remote", "add", "origin", origin)
    return root
