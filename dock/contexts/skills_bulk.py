"""What is asked before skills are approved in bulk, and what is said after."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.models import User

from dock.contexts import links, skills_head
from memory.models import SkillReading
from memory.skills import queries
from memory.skills.review import Outcome


@dataclass(frozen=True, slots=True)
class Unread:
    """A skill whose changes the person did not open."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Question:
    """How many of the ticked skills were not opened; `values` name all of them again."""

    url: str
    back_url: str
    values: list[str]
    total: int
    read: int
    unread: list[Unread]


def question(pks: dict[int, str], person: User, *, url: str, back: str) -> Question:
    """Look up which contents the person did not open. Two queries."""
    rows = {row.pk: row for row in queries.skills().filter(pk__in=list(pks)).defer("text", "body")}
    readings = SkillReading.objects.filter(skill__in=list(rows), person=person)
    read = set(readings.values_list("skill", "content_hash"))
    unread = [row for pk, row in sorted(rows.items()) if (pk, pks[pk]) not in read]
    return Question(
        url=url,
        back_url=back,
        values=[f"{pk}:{content}" for pk, content in pks.items()],
        total=len(rows),
        read=len(rows) - len(unread),
        unread=[
            Unread(skills_head.name(row), links.to("skill-detail", row.project.name, row.slug, view="changes"))
            for row in unread
        ],
    )


def told(outcome: Outcome) -> list[tuple[int, str]]:
    """Say what became of the ticked skills, as levels of messages and their texts."""
    lines = [
        (messages.SUCCESS, outcome.approved, "approved"),
        (messages.INFO, outcome.unread, "left, because you have not opened the changes"),
        (messages.WARNING, outcome.changed, "left, because the text changed meanwhile"),
        (messages.WARNING, outcome.refused, "left, because it cannot be approved as it is"),
    ]
    found = [(level, f"{_skills(len(pks))} {words}.") for level, pks, words in lines if pks]
    return found or [(messages.INFO, "No skill was ticked.")]


def _skills(count: int) -> str:
    return "1 skill" if count == 1 else f"{count:,} skills"
