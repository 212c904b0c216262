"""The deployment's own DSH, run headless with capture switched off in it (MemSearch's `dsh-headless`)."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path

from memory.capture.summarizers import programs, prompt
from memory.capture.summarizers.base import Summary, Unavailable
from memory.capture.summarizers.bullets import bullets
from memory.configuration import keys, memsearch
from memory.models import Capture
from memory.transcripts.limits import clipped

name = "dsh-headless"

TIMEOUT = 60.0
_ROOM = 60_000
"""Characters of the transcript: it is one argument, of which Linux takes 128 KiB."""
_MISSING = "dsh CLI not found; set DSH_CLI or install dsh on PATH for summarizeMode=dsh-headless"


def summarize(capture: Capture, *, agent_name: str) -> Summary:
    """Return the summary of DSH's default model. Raises Unavailable."""
    configuration = memsearch.effective(capture.project)
    told = prompt.text(configuration, agent_name)
    timeout = configuration.number(keys.TIMEOUT) or TIMEOUT
    said = ask(f"{told}\n\nTranscript:\n{_fitting(capture.rendered)}", timeout=timeout)
    return replace(said, text=bullets(said.text))


def ask(task: str, *, timeout: float) -> Summary:
    """Return what DSH says to a task, as it is; a task that is too long for an argument is cut. Raises Unavailable."""
    result = programs.run([*program(), "--profile", "headless", _fitting(task)], timeout=timeout)
    if result.status != 0:
        raise Unavailable(result.complaint or f"dsh exited with status {result.status}")
    return Summary(text=result.stdout, model="dsh default")


def program() -> list[str]:
    """Return dsh as MemSearch's plugin finds it: on PATH, else DSH_CLI, else where pnpm puts it. Raises Unavailable."""
    own = shlex.split(os.environ.get("DSH_CLI", ""))
    for candidate in (["dsh"], own, [str(Path("~/.local/share/pnpm/dsh").expanduser())]):
        try:
            if candidate:
                return [programs.found(candidate[0]), *candidate[1:]]
        except Unavailable:
            continue
    raise Unavailable(_MISSING)


def _fitting(rendered: str) -> str:
    text = clipped(rendered, _ROOM).replace("\0", "")
    return text if len(text.encode()) < 2 * _ROOM else clipped(text, _ROOM // 3)
