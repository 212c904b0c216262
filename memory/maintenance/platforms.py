"""Whose configuration and state a task uses: MemSearch keeps both apart by agent."""

from __future__ import annotations

from memory.configuration import keys
from memory.configuration.memsearch import Configuration, Unset
from memory.models import Project, Session

FALLBACK = "dsh"
"""Where nobody switched a task on and no agent was seen: what a person asks for is run all the same."""


def enabled(configuration: Configuration, task: str) -> list[str]:
    """Return the agents for which a task is switched on."""
    return [platform for platform in keys.PLATFORMS if _is_on(configuration, platform, task)]


def choose(project: Project, among: list[str], *, preferred: str = "") -> str:
    """Return the preferred agent if it is among them, else the one that was at work last. One query."""
    if preferred in among:
        return preferred
    seen = Session.objects.filter(project=project, platform__in=among or keys.PLATFORMS)
    last = seen.newest_first().values_list("platform", flat=True).first()
    return last or (among[0] if among else FALLBACK)


def _is_on(configuration: Configuration, platform: str, task: str) -> bool:
    try:
        return configuration.flag(f"plugins.{platform}.{task}.enabled")
    except Unset:
        return False
