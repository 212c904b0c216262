"""Whole files of ours that are put where an agent reads them: a plugin, a skill."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from memory.connect.refusals import Unreadable
from memory.connect.steps import Edit, Part

HERE = Path(__file__).parent

_SKILL = "memory-recall"
_SKILL_MARK = "source: memdock"


def skill(folder: Path) -> Edit:
    """Put the skill into a folder of skills; one of that name from somebody else stays."""
    shipped = (HERE / "skills" / _SKILL / "SKILL.md").read_text(encoding="utf-8")
    part = Part(partial(_put, shipped, _SKILL_MARK), partial(_take, _SKILL_MARK))
    return Edit(folder / _SKILL / "SKILL.md", part, is_own_folder=True)


def plugin(path: Path, shipped: Path) -> Edit:
    """Put a plugin of one file at a path, over an older one of ours. A file of somebody else is refused."""
    text = shipped.read_text(encoding="utf-8")
    mark = text.partition("\n")[0]
    return Edit(path, Part(partial(_put_alone, text, mark), partial(_take, mark)))


def _put(shipped: str, mark: str, text: str | None) -> str | None:
    return shipped if text is None or mark in text else text


def _put_alone(shipped: str, mark: str, text: str | None) -> str | None:
    if text is not None and not text.startswith(mark):
        raise Unreadable("this file is not MemDock's.")
    return shipped


def _take(mark: str, text: str | None) -> str | None:
    return None if text is not None and mark in text else text
