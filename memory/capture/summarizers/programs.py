"""Runs another program for a summary: no shell, no inherited session, a hard end, and never captured itself."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings

from memory.capture.summarizers.base import Unavailable

FOLDER = "summarize"
"""Below the data directory: an empty working directory, so that no project's instructions reach the program."""

_LARGEST = 4 * 1024 * 1024
_GUARDS = {"MEMDOCK_DISABLE": "1", "MEMSEARCH_DISABLE": "1", "MEMSEARCH_NO_WATCH": "1", "MEMSEARCH_DSH_SUMMARIZE": "1"}
_OF_A_SESSION = ("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT")


@dataclass(frozen=True, slots=True)
class Result:
    """How a program ended and what it printed."""

    status: int
    stdout: str
    stderr: str

    @property
    def complaint(self) -> str:
        """The last line of its errors, for a reason."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


def found(name: str) -> str:
    """Return the path of a program. Raises Unavailable."""
    path = shutil.which(name)
    if path is None:
        raise Unavailable(f"{name} is not installed")
    return path


def run(argv: Sequence[str], *, stdin: str = "", timeout: float, extra: Mapping[str, str] | None = None) -> Result:
    """Run a program to its end. Raises Unavailable when it cannot start, or does not end in `timeout` seconds."""
    folder = folder_of_runs()
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_SESSION}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode("utf-8", "replace"))
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - no shell, and an argv of ours
                argv,
                stdin=given,
                stdout=out,
                stderr=err,
                cwd=folder,
                env=environment | _GUARDS | dict(extra or {}),
                start_new_session=True,
            )
        except OSError as exc:
            raise Unavailable(f"{Path(argv[0]).name} cannot be started: {exc.strerror}") from exc
        status = _end(process, timeout)
        return Result(status, _text(out), _text(err))


def folder_of_runs() -> Path:
    folder = Path(settings.DATA_DIR) / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _end(process: subprocess.Popen[bytes], timeout: float) -> int:
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise Unavailable("summarizer timed out") from None
    finally:  # what the program started must not outlive it
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_LARGEST).decode("utf-8", "replace")
