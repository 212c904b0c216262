"""Skill candidates as JSON."""

from __future__ import annotations

from typing import Literal, Self, cast

from ninja import Schema
from pydantic import Field

from memory import models
from memory.models.skill import SkillStatus


class Target(Schema):
    """A place where a skill can be installed."""

    name: str
    path: str
    note: str


class Decision(Schema):
    """What a person decided about a skill."""

    action: str
    note: str


class Skill(Schema):
    """One skill candidate as it is on disk, and what people decided about it."""

    project: str
    slug: str
    title: str
    description: str
    status: SkillStatus
    review: Literal["pending"]
    content_hash: str = Field(description="Git's blob hash of SKILL.md; empty when it could not be read.")
    installed_hash: str
    pending: Literal["new", "updated"] | None
    occurrences: int | None
    sources: list[str]
    reason: str
    installed_paths: list[str]
    problems: list[str]
    body: str = Field(description="SKILL.md without its front matter.")
    targets: list[Target]
    decisions: list[Decision]

    @classmethod
    def of(cls, row: models.SkillCandidate) -> Self:
        return cls(
            project=row.project.name,
            slug=row.slug,
            title=row.title,
            description=row.description,
            status=SkillStatus(row.status),
            review="pending",
            content_hash=row.content_hash,
            installed_hash=row.installed_hash,
            pending=cast("Literal['new', 'updated'] | None", row.pending or None),
            occurrences=row.occurrences,
            sources=row.sources,
            reason=row.reason,
            installed_paths=row.installed_paths,
            problems=row.problems,
            body=row.body,
            targets=[],
            decisions=[],
        )
