"""A summary without any model: what was asked, what was done to which files, what failed, how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.capture.summarizers.base import Summary, Unavailable
from memory.journal.titles import title
from memory.models import Capture

name = "extractive"

_LONGEST = 240
_CALL = re.compile(r"^\[Tool call\]: (\S+)(.*)$", re.MULTILINE)
_ERROR = re.compile(r"^\[Tool error\]: (.+)$", re.MULTILINE)
_ANSWER = re.compile(r"^\[Assistant\]: (.*(?:\n(?!\[(?:Tool|User|Assistant)).*)*)", re.MULTILINE)
_FILE = re.compile(
    r"(?<![\w/])(?:[\w.@~-]*/)+[\w.@-]+\.\w{1,8}\b|(?<![\w/.])[\w-]+\.(?:py|js|ts|md|toml|json|yml|rs|go)\b"
)
_MOST_FILES = 6
_MOST_LINES = 4


def summarize(capture: Capture, *, agent_name: str) -> Summary:
    """Return the same bullets for the same turn, always. Raises Unavailable for a turn that says nothing."""
    lines = list(_lines(capture, agent_name))
    if not lines:
        raise Unavailable("summarizer returned empty output")
    return Summary(text="\n".join(f"- {line}" for line in lines), model=name)


def _lines(capture: Capture, agent_name: str) -> Iterator[str]:
    asked = title(capture.question, _LONGEST)
    if asked:
        yield f"User asked: {asked}"
    if tools := _counted(_CALL.findall(capture.rendered)):
        yield f"{agent_name} used {tools}"
    if files := _files(capture.rendered):
        yield f"Files: {files}"
    for error in list(dict.fromkeys(_ERROR.findall(capture.rendered)))[:_MOST_LINES]:
        yield f"Error: {title(error, _LONGEST)}"
    yield from _outcome(capture.rendered)


def _counted(calls: list[tuple[str, str]]) -> str:
    counts: dict[str, int] = {}
    for tool, _ in calls:
        counts[tool] = counts.get(tool, 0) + 1
    return ", ".join(tool if count == 1 else f"{tool} ({count} times)" for tool, count in counts.items())


def _files(rendered: str) -> str:
    return ", ".join(list(dict.fromkeys(_FILE.findall(rendered)))[:_MOST_FILES])


def _outcome(rendered: str) -> Iterator[str]:
    """The lines of the last answer that say the most: its first ones and its last."""
    answers = _ANSWER.findall(rendered)
    lines = [told for line in (answers[-1] if answers else "").split("\n") if (told := title(line, _LONGEST))]
    chosen = lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], lines[-1]]
    for line in chosen:
        yield f"Answer: {line}" if line == chosen[0] else line
