"""Who is asked: the agent's own program (`native`), or a provider of MemSearch's configuration. Text in, text out.

The model gets no tools. MemSearch offers it one that runs commands, among them `find . -delete`.
"""

from __future__ import annotations

from memory.capture.summarizers import custom_llm
from memory.capture.summarizers.base import Summary
from memory.configuration.memsearch import Configuration
from memory.maintenance import native, prompts
from memory.maintenance.prompts import Prompt

NATIVE = "native"
TIMEOUT = 180.0
"""Seconds that a provider has for a whole document."""

_MOST_TOKENS = 16_000

_MOST_IN_AN_ARGUMENT = 40_000  # characters; DSH takes its task as one argument, of which Linux takes 128 KiB


def name(configuration: Configuration, platform: str, task: str) -> str:
    """Return the provider of a task. Raises Unset."""
    return configuration.text(f"plugins.{platform}.{task}.provider").strip() or NATIVE


def most(configuration: Configuration, platform: str, task: str) -> int:
    """Return how many characters of a prompt the provider of a task takes. Raises Unset."""
    is_argument = name(configuration, platform, task) == NATIVE and platform not in native.BY_STDIN
    return _MOST_IN_AN_ARGUMENT if is_argument else prompts.MOST


def ask(configuration: Configuration, *, platform: str, task: str, prompt: Prompt) -> Summary:
    """Ask the provider of a task once; what it said is in `text`, as it is.

    Raises Unavailable and Unset; never falls back to another provider.
    """
    plugin = f"plugins.{platform}.{task}"
    if name(configuration, platform, task) == NATIVE:
        return native.ask(platform, configuration.text(f"{plugin}.model"), prompt)
    provider = custom_llm.chosen(configuration, plugin)
    return custom_llm.ask(provider, prompt.told, prompt.material, timeout=TIMEOUT, most_tokens=_MOST_TOKENS)
