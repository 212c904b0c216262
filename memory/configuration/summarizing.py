"""Which summarizer an agent's turns get as things are set up, whether it can work, and a try of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from decimal import Decimal

from memory.capture.platforms import registry
from memory.capture.summarizers import choice, custom_llm, dsh_headless, extractive, programs
from memory.capture.summarizers.base import Unavailable
from memory.configuration.memsearch import Configuration, Unset
from memory.models import Capture, Project

QUESTION = "Why does the importer skip the last row of each file?"
TURN = f"""=== Turn 1 ===

[User]: {QUESTION}

[Tool call]: bash {{"command": "pytest tests/test_importer.py"}}
[Tool error]: AssertionError: 3 != 4

[Assistant]: The loop ended one row early. Fixed the range in src/importer.py; all 12 tests pass now."""
"""What is summarised for a try: a turn that nobody had."""

_OFFICIAL = ("https://api.openai.com", "https://api.anthropic.com", "https://generativelanguage.googleapis.com")


@dataclass(frozen=True, slots=True)
class Status:
    """The summarizer of an agent's turns; `reason` says why it cannot work, "" where nothing is known against it."""

    name: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of a try: bullets, or the reason why there are none."""

    name: str
    text: str = ""
    reason: str = ""
    model: str = ""
    tokens: int = 0
    cost_usd: Decimal | None = None
    seconds: float = 0


def status(project: Project | None, platform: str, configuration: Configuration) -> Status:
    """Tell what would summarise a turn of this agent, without starting it. One query."""
    try:
        name = choice.choose(_capture(project, platform)).name
    except (Unavailable, Unset) as exc:
        return Status("", str(exc))
    return Status(name, missing(name, platform, configuration))


def missing(name: str, platform: str, configuration: Configuration) -> str:
    """Say what a summarizer lacks on this machine, "" where nothing is known to be missing."""
    try:
        if name == custom_llm.name:
            return _lacks_key(configuration, platform)
        if name in {extractive.name, choice.OFF}:
            return ""
        if name in {"claude", "codex"}:
            programs.found(name)
            return ""
        dsh_headless.program()
        return ""
    except (Unavailable, Unset) as exc:
        return str(exc)


def attempt(project: Project | None, platform: str) -> Trial:
    """Summarise the fixed turn with what is set up; it may take as long as the summarizer's time limit.

    Nothing is written, and no cap of a day holds: a person asked for it.
    """
    capture, started = _capture(project, platform), time.monotonic()
    name = ""
    try:
        summarizer = choice.choose(capture)
        name = summarizer.name
        summary = summarizer.summarize(capture, agent_name=registry.of(platform).agent_name)
    except (Unavailable, Unset) as exc:
        return Trial(name=name, reason=" ".join(str(exc).split()), seconds=time.monotonic() - started)
    return Trial(
        name=name,
        text=summary.text,
        model=summary.model,
        tokens=summary.input_tokens + summary.output_tokens,
        cost_usd=summary.cost_usd,
        seconds=time.monotonic() - started,
    )


def _capture(project: Project | None, platform: str) -> Capture:
    """Return a turn that is never saved; for all projects it belongs to one that is none."""
    unlike_any = -time.monotonic_ns()  # summarizers name their files by it
    return Capture(
        pk=unlike_any, project=project or Project(), platform=platform, turn="1", question=QUESTION, rendered=TURN
    )


def _lacks_key(configuration: Configuration, platform: str) -> str:
    provider = custom_llm.chosen(configuration, f"plugins.{platform}.summarize")
    lacks = not provider.key and provider.url.startswith(_OFFICIAL)
    return f"no API key is set for the provider {provider.kind}" if lacks else ""
