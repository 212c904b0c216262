"""The store's own git: one commit an act, with MemSearch's author and messages.

Anybody who can write into a project can write its git configuration, which may name programs to run. A store whose
configuration says more than `git init` does is not touched, and hooks are never run.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

_PATIENCE = 20.0
"""Seconds for one call of git."""

_PLAIN = frozenset(
    {
        "core.repositoryformatversion",
        "core.filemode",
        "core.bare",
        "core.logallrefupdates",
        "core.ignorecase",
        "core.precomposeunicode",
        "core.symlinks",
        "core.autocrlf",
        "user.name",
        "user.email",
    }
)
_OPTIONS = (
    ("user.name", "memsearch"),
    ("user.email", "memsearch@localhost"),
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", os.devnull),
    ("core.excludesFile", os.devnull),
    ("core.autocrlf", "false"),
    ("commit.gpgSign", "false"),
    ("diff.ignoreSubmodules", "all"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
)


class _Failed(Exception):
    """Git did not do it; the message is a sentence."""


def commit(root: Path, paths: Sequence[str], message: str, *, makes: bool) -> str:
    """Commit these paths below the store's folder; return why that failed, or "".

    With `makes`, a store without git gets one; otherwise nothing is committed there.
    """
    try:
        if not _is_ready(root, makes=makes):
            return ""
        _run(root, "add", "--", *paths)
        if _run(root, "status", "--porcelain", "--untracked-files=no", "--", *paths).strip():
            _run(root, "commit", "-q", "--no-verify", "-m", message, "--", *paths)
    except _Failed as exc:
        return f"The files are written, but not committed: {exc}"
    return ""


def _is_ready(root: Path, *, makes: bool) -> bool:
    """Make sure of a git folder that is safe to use. Raises _Failed."""
    git = root / ".git"
    try:
        facts = git.lstat()
    except FileNotFoundError:
        if makes:
            _call(root, ["init", "-q", "--template=", "--", str(root)])
        return makes
    except OSError as exc:
        raise _Failed(f"the store's git folder cannot be read ({exc.strerror}).") from exc
    if not stat.S_ISDIR(facts.st_mode):
        raise _Failed("the store's git folder is a link or a file.")
    if (git / "info" / "attributes").exists():
        raise _Failed("the store's git has attributes of its own.")
    found = _call(root, ["config", "--file", str(git / "config"), "--no-includes", "--list", "--name-only", "-z"])
    if odd := {key for key in found.split("\0") if key} - _PLAIN:
        raise _Failed(f"the store's git configuration sets {min(odd)[:60]}.")
    return True


def _run(root: Path, *arguments: str) -> str:
    options = [part for key, value in _OPTIONS for part in ("-c", f"{key}={value}")]
    return _call(root, [*options, "--git-dir=.git", "--work-tree=.", "--literal-pathspecs", *arguments])


def _call(root: Path, arguments: Sequence[str]) -> str:
    """Run git in the store's folder, in an environment that nobody else configured."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, no shell
            ["git", *arguments],  # noqa: S607 - git is looked up as everybody's is
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except FileNotFoundError as exc:
        raise _Failed("git is not installed.") from exc
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise _Failed("git did not answer.") from exc
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise _Failed(f"git says {told[-1][:200] if told else done.returncode!r}.")
    return done.stdout.decode(errors="replace")
