"""Which skills a person has read, and how their copies are."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User

from memory.models import SkillCandidate, SkillCopy, SkillReading


def is_read(pk: int, content_hash: str, person: User) -> bool:
    """Tell whether this person opened the changes of a content. One query."""
    return SkillReading.objects.filter(skill=pk, person=person, content_hash=content_hash).exists()


def read_among(rows: Sequence[SkillCandidate], person: User) -> set[int]:
    """Return the ids of those whose present content this person opened. One query."""
    read = SkillReading.objects.filter(skill__in=[row.pk for row in rows], person=person)
    found = set(read.values_list("skill", "content_hash"))
    return {row.pk for row in rows if (row.pk, row.content_hash) in found}


def copies_of(rows: Sequence[SkillCandidate]) -> dict[int, set[str]]:
    """Return the states of the copies of each. One query."""
    found: dict[int, set[str]] = {row.pk: set() for row in rows}
    for pk, state in SkillCopy.objects.filter(skill__in=list(found)).values_list("skill", "state"):
        found[pk].add(state)
    return found
