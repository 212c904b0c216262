"""Which summarizer a turn gets: what a person chose, else what the agent's MemSearch plugin would take."""

from __future__ import annotations

from types import ModuleType
from typing import cast

from memory.capture.summarizers import claude, codex, custom_llm, dsh_headless, extractive
from memory.capture.summarizers.base import Summarizer, Unavailable
from memory.configuration import memsearch
from memory.configuration.memsearch import Configuration, Unset
from memory.models import Capture

SETTING = "capture.summarizer"
AUTO = "auto"
OFF = "off"

MODULES: dict[str, ModuleType] = {
    module.name: module for module in (dsh_headless, custom_llm, claude, codex, extractive)
}
"""By the name that a person chooses."""

_NATIVE = {"claude-code": claude, "codex": codex}


def choose(capture: Capture) -> Summarizer:
    """Return the summarizer of a capture: its agent's, else that of all. Raises Unavailable for none, and for off."""
    configuration = memsearch.effective(capture.project)
    wanted = configuration.text(f"{SETTING}s.{capture.platform}") or configuration.text(SETTING) or AUTO
    if wanted == OFF:
        raise Unavailable("summaries are switched off")
    module = _automatic(configuration, capture.platform) if wanted == AUTO else MODULES.get(wanted)
    if module is None:
        raise Unavailable(f"there is no summarizer named {wanted}")
    return cast("Summarizer", module)


def _automatic(configuration: Configuration, platform: str) -> ModuleType:
    """MemSearch's `auto`: a configured provider, else the agent's own command; `native` means the agent's own."""
    plugin = f"plugins.{platform}.summarize"
    try:
        provider = configuration.text(f"{plugin}.provider")
    except Unset:
        provider = ""
    if provider and provider != "native" and configuration.flag(f"{plugin}.enabled"):
        return custom_llm
    return _NATIVE.get(platform, dsh_headless)
