"""What was saved around a memory, in the same session."""

from __future__ import annotations

from dataclasses import dataclass

from memory.engram.errors import NotFound
from memory.models import Observation, Session

USUAL = 5
_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Timeline:
    """A memory, its neighbours by id (both lists oldest first), their session and how many memories it has."""

    focus: Observation
    before: list[Observation]
    after: list[Observation]
    session: Session
    total_in_range: int


def around(pk: int, *, before: int = USUAL, after: int = USUAL) -> Timeline:
    """Return what surrounds a memory that is not deleted; numbers below 1 mean 5. Raises NotFound. Four queries."""
    live = Observation.objects.live().select_related("project", "session", "session__project")
    focus = live.filter(pk=pk).first() if 0 < pk <= _LARGEST_ID else None
    if focus is None:
        raise NotFound("observation not found")
    others = live.filter(session=focus.session)
    earlier = others.filter(pk__lt=pk).order_by("-pk")[: before if before > 0 else USUAL]
    later = others.filter(pk__gt=pk).order_by("pk")[: after if after > 0 else USUAL]
    return Timeline(focus, list(earlier)[::-1], list(later), focus.session, others.count())
