"""The deployment's own DSH, run headless with capture switched off in it (MemSearch's `dsh-headless`)."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from memory.capture.summarizers import programs, prompt
from memory.capture.summarizers.base import Summary, Unavailable
from memory.capture.summarizers.bullets import bullets
from memory.configuration import memsearch
from memory.models import Capture
from memory.transcripts.limits import clipped

name = "dsh-headless"

TIMEOUT = 60.0
_ROOM = 60_000
"""Characters of the transcript: it is one argument, of which Linux takes 128 KiB."""
_MISSING = "dsh CLI not found; set DSH_CLI or install dsh on PATH for summarizeMode=dsh-headless"


def summarize(capture: Capture, *, agent_name: str) -> Summary:
    """Return the summary of DSH's default model. Raises Unavailable."""
    told = prompt.text(memsearch.effective(capture.project), agent_name)
    task = f"{told}\n\nTranscript:\n{_fitting(capture.rendered)}"
    result = programs.run([*_program(), "--profile", "headless", task], timeout=TIMEOUT)
    if result.status != 0:
        raise Unavailable(result.complaint or f"dsh exited with status {result.status}")
    return Summary(text=bullets(result.stdout), model="dsh default")


def _program() -> list[str]:
    """Return dsh as MemSearch's plugin finds it: on PATH, else DSH_CLI, else where pnpm puts it."""
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
