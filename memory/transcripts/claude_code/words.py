"""What a user line of Claude Code really is: a person's words, or one of the many things that come in their guise."""

from __future__ import annotations

import re
from typing import Literal

type Kind = Literal["prompt", "command", "command-output", "interrupt", "notification", "injected"]

_LEADING = re.compile(
    r"\s*<(system-reminder|ide_opened_file|ide_selection)>.*?</\1>\s*",
    re.DOTALL,
)
_STARTS: tuple[tuple[str, Kind], ...] = (
    ("<command-name>", "command"),
    ("<command-message>", "command"),
    ("<local-command-", "command-output"),
    ("<bash-", "command-output"),
    ("[Request interrupted by user", "interrupt"),
    ("<task-notification>", "notification"),
    ("Stop hook feedback:", "injected"),
    ("This session is being continued", "injected"),
    ("Caveat:", "injected"),
)


def spoken(text: str) -> str:
    """Cut complete blocks of context that stand before the words; a tag that is only quoted further on stays."""
    text = text.removeprefix("\ufeff")
    while block := _LEADING.match(text):
        text = text[block.end() :]
    return text


def kind(text: str) -> Kind:
    """Say what words are that `spoken` has left; none are left of an injected line."""
    start = text.lstrip("\ufeff \t\r\n")
    if not start:
        return "injected"
    return next((kind for prefix, kind in _STARTS if start.startswith(prefix)), "prompt")


def command(text: str) -> str:
    """Show a slash command as it was typed: `/name args`."""
    name, arguments = (_tag(text, tag) for tag in ("command-name", "command-args"))
    return f"{name} {arguments}".strip()


def _tag(text: str, tag: str) -> str:
    _, found, rest = text.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0].strip() if found else ""
