"""Messages for an agent, which it reads at its next turn: at least once, until it says that it has them."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from memory import audit
from memory.audit import Actor
from memory.engram import holding
from memory.models import InboxMessage, Project, Session

MOST = 3
"""Messages that are given out at a time."""
LONGEST = 1500


@transaction.atomic(durable=True)
def queue(
    *, project: Project, session: Session | None = None, text: str, about: str = "", actor: Actor, at: datetime
) -> InboxMessage:
    """Leave a message for a session, or for whichever session of the project asks next."""
    message = InboxMessage.objects.create(
        project=project, session=session, text=text[:LONGEST], about=about, actor_label=actor.label, created_at=at
    )
    audit.record(actor, "inbox.queued", about or f"project:{project.name}", at=at)
    return message


def waiting(session_id: str, *, at: datetime) -> list[InboxMessage]:
    """Return the oldest messages that this session has not acknowledged, and note that they were handed out."""
    session = holding.registered(session_id)
    if session is None:
        return []
    mine = Q(session=session) | Q(session=None, project=session.project_id)
    found = list(InboxMessage.objects.filter(mine, acknowledged_at=None).order_by("pk")[:MOST])
    InboxMessage.objects.filter(pk__in=[row.pk for row in found], delivered_at=None).update(delivered_at=at)
    return found


@transaction.atomic(durable=True)
def acknowledge(*, pk: int, at: datetime) -> InboxMessage | None:
    """Note that the agent has a message; None where there is no such one. Twice is harmless."""
    InboxMessage.objects.filter(pk=pk, acknowledged_at=None).update(acknowledged_at=at)
    return InboxMessage.objects.filter(pk=pk).first()
