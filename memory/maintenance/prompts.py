"""What a model is told to do, and what it is shown: instructions of ours or the person's, and texts as mere material."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory.capture.summarizers.base import Unavailable
from memory.configuration.memsearch import Configuration

MOST = 80_000
"""Characters of a whole prompt (MemSearch's bound)."""

LARGEST_TEMPLATE = 40_000

_BACKTICKS = re.compile("`{3,}")
_SPARE = 600  # characters of headings and fences


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions, and the material that they are about."""

    told: str
    material: str


def template(configuration: Configuration, task: str, default: str, values: Mapping[str, str]) -> str:
    """Return the instructions of a task: those of `prompts.<task>` where a file is set, with MemSearch's markers filled in.

    Raises Unavailable when that file cannot be read, and Unset.
    """
    own = configuration.text(f"prompts.{task}")
    text = _read(own, task) if own else default
    for marker, value in values.items():
        text = text.replace(f"{{{{{marker}}}}}", value)
    return text


def section(title: str, text: str, *, is_fenced: bool = True) -> str:
    """Return one part of the material; a fence is longer than any that the text holds, so that nothing leaves it."""
    inner = text.strip()
    if not is_fenced:
        return f"## {title}\n\n{inner}\n"
    fence = "`" * max(3, *(len(found) + 1 for found in _BACKTICKS.findall(inner)), 3)
    return f"## {title}\n\n{fence}markdown\n{inner}\n{fence}\n"


def room(*parts: str, most: int) -> int:
    """Return how many characters of a whole prompt are left for journals."""
    return max(0, most - _SPARE - sum(len(part) for part in parts))


def _read(own: str, task: str) -> str:
    try:
        with Path(own).expanduser().open(encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_TEMPLATE)
    except (OSError, RuntimeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else str(exc)
        raise Unavailable(f"the file of prompts.{task} cannot be read: {reason}") from exc
