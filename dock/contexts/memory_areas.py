"""The tabs over everything that was saved on purpose: memories, what is due, conflicts, prompts."""

from __future__ import annotations

from datetime import datetime

from dock.contexts import conflict_pairs, links
from dock.contexts.choices import Tab
from memory.engram import queries
from memory.models import Project

_ASKING = {"review-list", "conflict-list"}
"""Areas whose count asks for something to be done."""


def tabs(project: Project | None, current: str, *, now: datetime) -> list[Tab]:
    """Return the tabs; `current` is the name of the page that is shown. Three queries."""
    counts = queries.counts(project, now=now)
    owner = project.name if project else ""
    areas = [
        ("memory-list", "All", counts.live, links.to("memory-list", project=owner)),
        ("", "Pinned", counts.pinned, links.to("memory-list", project=owner, state="pinned")),
        ("review-list", "Due for review", counts.due, links.to("review-list", project=owner)),
        ("conflict-list", "Conflicts", conflict_pairs.waiting(project), links.to("conflict-list", project=owner)),
        ("prompt-list", "Prompts", counts.prompts, links.to("prompt-list", project=owner)),
    ]
    return [
        Tab(label, url, name == current, count, "warn" if count and name in _ASKING else "")
        for name, label, count, url in areas
    ]
