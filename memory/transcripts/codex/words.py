"""A person's words in a Codex message, which may carry instructions and context in front of them."""

from __future__ import annotations

import re

_CONTEXT = re.compile(
    r"""\s*(?:
      \#\ AGENTS\.md\ instructions\ for\ .*?<INSTRUCTIONS>.*?</INSTRUCTIONS>
    | <(user_instructions|environment_context|permissions|recommended_plugins|skill|turn_aborted
        |subagent_notification|goal_context|codex_internal_context|user_shell_command)\b[^>]*>.*?</\1[^>]*>
    )\s*""",
    re.DOTALL | re.VERBOSE,
)
_INSTRUCTIONS = "# AGENTS.md instructions for "


def spoken(text: str) -> str:
    """Cut complete blocks of context before the words; instructions without an end leave no words."""
    while block := _CONTEXT.match(text):
        text = text[block.end() :]
    return "" if text.lstrip().startswith(_INSTRUCTIONS) else text


def is_abort(text: str) -> bool:
    """Tell whether this is the note that Codex leaves for the model after an interruption."""
    return text.lstrip().startswith("<turn_aborted>")
