"""What was written alone behind a long queue: what an agent saves while thousands of memories are imported."""

from __future__ import annotations

from collections import Counter

from memory.models import Change

FEW = 5
"""Changes of one project and moment; where there are more they came at once, as those of an import."""
LOOKED_AT = 5000


def alone(after: int) -> tuple[set[str], int]:
    """Return the refs of changes after a position that came alone, and the newest position looked at. One query."""
    rows = list(
        Change.objects.filter(pk__gt=after).order_by("-pk").values_list("pk", "project", "at", "ref")[:LOOKED_AT]
    )
    counts = Counter((project, at) for _, project, at, _ in rows)
    refs = {ref for _, project, at, ref in rows if counts[project, at] <= FEW}
    return refs, rows[0][0] if rows else after
