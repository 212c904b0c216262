"""The audit trail: written by actions, inside their transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from memory.models import AuditEntry


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a person, or a command of the person who runs MemDock."""

    user: User | None
    label: str


COMMAND = Actor(user=None, label="command line")


def person(user: User) -> Actor:
    return Actor(user=user, label=user.get_username())


def record(actor: Actor, action: str, target: str, *, at: datetime, **detail: object) -> None:
    """Write down one act."""
    AuditEntry.objects.create(
        actor=actor.user, actor_label=actor.label[:200], action=action, target=target[:700], detail=detail, at=at
    )
