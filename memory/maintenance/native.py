"""The agents' own programs, run as the summarizers run them: without tools, hooks or a session of their own."""

from __future__ import annotations

from memory.capture.summarizers import claude, codex, dsh_headless
from memory.capture.summarizers.base import Summary
from memory.maintenance.prompts import Prompt

TIMEOUT = 180.0
"""Seconds; MemSearch's runners allow 120, for dsh 180."""

BY_STDIN = frozenset({"claude-code", "codex"})
"""Platforms whose program reads what it is asked; all others are asked through DSH, in an argument."""

_CLAUDE_MODEL = "sonnet"


def ask(platform: str, model: str, prompt: Prompt) -> Summary:
    """Ask the program of a platform. Raises Unavailable."""
    if platform == "claude-code":
        return claude.ask(prompt.told, prompt.material, model=model or _CLAUDE_MODEL, timeout=TIMEOUT)
    task = f"{prompt.told}\n\n{prompt.material}"
    if platform == "codex":
        return codex.ask(task, model=model, timeout=TIMEOUT)
    return dsh_headless.ask(task, timeout=TIMEOUT)
