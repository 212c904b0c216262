"""Where a skill stands among the others: by name, among those that wait for a person if it is one of them."""

from __future__ import annotations

from dataclasses import dataclass

from memory.models import Project, SkillCandidate
from memory.skills import queries


@dataclass(frozen=True, slots=True)
class Place:
    """The slugs before and after a skill, "" at the ends; `words` say its number where it waits."""

    before: str
    after: str
    words: str
    is_waiting: bool


def place(project: Project, row: SkillCandidate) -> Place:
    """Find the neighbours of a skill. One query."""
    waiting = _slugs(project, "waiting")
    is_waiting = row.slug in waiting
    slugs = waiting if is_waiting else _slugs(project, "all")
    at = slugs.index(row.slug) if row.slug in slugs else 0
    return Place(
        before=slugs[at - 1] if at else "",
        after=slugs[at + 1] if at + 1 < len(slugs) else "",
        words=f"{at + 1:,} of {len(slugs):,}" if is_waiting else "",
        is_waiting=is_waiting,
    )


def is_waiting(project: Project, row: SkillCandidate) -> bool:
    """Tell whether a skill waits for a person. One query."""
    return queries.inbox(project, "waiting").filter(pk=row.pk).exists()


def following(project: Project, slug: str) -> str:
    """Return the slug of the next skill that waits, after the last one the first again; "" when none does. One query."""
    waiting = [one for one in _slugs(project, "waiting") if one != slug]
    return next((one for one in waiting if one > slug), waiting[0] if waiting else "")


def _slugs(project: Project, state: queries.State) -> list[str]:
    return list(queries.inbox(project, state).order_by("slug").values_list("slug", flat=True))
