"""Keeps what an agent was told from its loop, for the session's page; so its session is known from its first turn on."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from memory.agent_loop.points import Session
from memory.engram import holding, registration
from memory.engram.registration import Wanted
from memory.models import Injection
from memory.plugins.scopes import project_of

_LONGEST_QUERY = 2000


def keep(session: Session, *, query: str, text: str, reason: str, took_ms: float, at: datetime) -> None:
    """Write down what was told, or why nothing was; nothing at all for a directory that belongs to no project."""
    project = project_of(session.scope)
    if project:
        _write(session, project.name, query=query[:_LONGEST_QUERY], text=text, reason=reason, took_ms=took_ms, at=at)


@transaction.atomic(durable=True)
def _write(session: Session, project: str, *, query: str, text: str, reason: str, took_ms: float, at: datetime) -> None:
    wanted = Wanted(project=project, directory=session.cwd, at=at)
    Injection.objects.create(
        session=holding.session(session.id) or registration.start(holding.key(session.id), wanted),
        query=query,
        text=text.replace("\0", "\ufffd"),
        reason=reason,
        took_ms=round(took_ms, 1),
        at=at,
    )
