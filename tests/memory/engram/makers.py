"""Plain builders of sessions, observations and prompts, made by the functions that agents' doors call."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from memory.engram import observations, prompts, sessions
from memory.models import Change, Observation, Prompt, Session


def make_session(id: str = "s1", *, project: str = "harbor", **over: Any) -> Session:  # noqa: A002
    values: dict[str, Any] = {"id": id, "project": project, "at": timezone.now()}
    return sessions.register(**values | over).session


def make_observation(title: str = "Leases are kept in Redis", **over: Any) -> Observation:
    """Save an observation, in session s1 unless another one is named; the session is registered where it is missing."""
    session = over.get("session_id", "s1")
    if not sessions.find(session):
        make_session(session)
    values = {"session_id": session, "title": title, "content": f"{title}, as we decided.", "at": timezone.now()}
    return observations.save(**values | over).observation


def make_prompt(content: str = "Where are the leases kept?", **over: Any) -> Prompt:
    session = over.get("session_id", "s1")
    if not sessions.find(session):
        make_session(session)
    return prompts.save(**{"session_id": session, "content": content, "at": timezone.now()} | over)


def told(since: int = 0) -> list[tuple[str, str]]:
    """Return what the feed says after a change, as (kind, ref)."""
    return list(Change.objects.filter(pk__gt=since).order_by("pk").values_list("kind", "ref"))
