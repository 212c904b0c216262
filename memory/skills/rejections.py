"""Which contents people rejected: those are not proposed to them again."""

from __future__ import annotations

from datetime import datetime

from memory.models import Project, SkillDecision
from memory.models.skill_desk import SkillAction

DECIDING = (
    SkillAction.APPROVE,
    SkillAction.REQUEST_CHANGES,
    SkillAction.REJECT,
    SkillAction.SNOOZE,
    SkillAction.REOPEN,
    SkillAction.INSTALL,
)
"""Acts that say what a person thinks of a content; the last one on it counts."""


def rejected_at(project: Project, slug: str, content_hash: str) -> datetime | None:
    """Return when a content was rejected; None where it was not, or was let in again since. One query."""
    made = SkillDecision.objects.filter(project=project, slug=slug, content_hash=content_hash, action__in=DECIDING)
    last = made.order_by("-pk").values_list("action", "at").first() if content_hash else None
    return last[1] if last and last[0] == SkillAction.REJECT else None


def is_rejected(project: Project, slug: str, content_hash: str) -> bool:
    """Tell whether people rejected this content last. One query."""
    return rejected_at(project, slug, content_hash) is not None
