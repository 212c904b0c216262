"""What an agent is told beside a save that succeeded."""

from __future__ import annotations

import re

from memory.engram import queries, stats
from memory.projects import queries as projects
from memory.projects.similar import similar as alike

_URI = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_ROOTS = (
    "Applications|Library|System|Users|Volumes|builds?|data|etc|home|media|mnt|opt|private|root|srv|tmp|usr|var"
    "|work|workspaces?"
)
_ABSOLUTE = re.compile(rf"(?<![\w./\\~$}}-])/(?:{_ROOTS})/[\w.-]|(?<!\w)[A-Za-z]:[\\/](?![\\/])|(?<![\w\\])\\\\\w+\\\w")


def similar(name: str) -> str:
    """Return a line about a project that is probably meant where this one has no memories, or "".

    One query for a project that has some.
    """
    found = projects.find(name)
    if found and queries.observations(project=found).exists():
        return ""
    meant = next(iter(alike(name, stats.stats().projects)), "")
    other = projects.find(meant) if meant else None
    if other is None:
        return ""
    count = queries.observations(project=other).count()
    return (
        f'\n⚠️ Project "{name}" has no memories. Similar project found: "{meant}" ({count} memories). '
        "Consider using that name instead."
    )


def absolute_path(content: str) -> str:
    """Return a line about a content that names a place of one machine, or "".

    Addresses of the web are no paths, and a path such as `/api/v1` is rather a route.
    """
    if not _ABSOLUTE.search(_URI.sub(" ", content)):
        return ""
    return (
        "\n⚠ WARNING: Content contains an absolute filesystem path that may not be portable across machines. "
        "Use a repository-relative path instead."
    )
