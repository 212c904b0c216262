"""Which tools a client sees: Engram's profiles, or names one by one."""

from __future__ import annotations

from collections.abc import Collection

ADMIN = frozenset({"mem_delete", "mem_merge_projects", "mem_stats", "mem_timeline"})
"""What people do now and then; everything else is for agents."""


class UnknownTool(ValueError):
    """Neither a profile nor a tool; the message is one sentence for people."""


def chosen(text: str, known: Collection[str]) -> frozenset[str]:
    """Return the tools that a list such as `agent,mem_stats` names; an empty one names all. Raises UnknownTool."""
    profiles = {"all": frozenset(known), "admin": ADMIN, "agent": frozenset(known) - ADMIN}
    found: set[str] = set()
    for word in filter(None, (part.strip() for part in text.split(","))):
        if word not in profiles and word not in known:
            raise UnknownTool(f"There is no tool and no profile {word[:60]!r}; profiles are all, agent and admin.")
        found |= profiles.get(word, {word})
    return frozenset(found) or profiles["all"]
