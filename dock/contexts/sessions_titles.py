"""What a session is called."""

from __future__ import annotations

from memory.journal import titles
from memory.models import Session


def title(session: Session) -> str:
    """Name a session: by its title, else by its first prompt (where `memory.sessions.queries.with_opening` read it), else by its key."""
    opening = getattr(session, "opening", "")
    return session.title or (titles.title(opening) if opening else "") or f"Session {session.key}"
