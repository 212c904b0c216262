"""Key learnings that an agent wrote down at its end: kept as memories, as Engram's passive capture does."""

from __future__ import annotations

from datetime import datetime

from memory.engram import observations
from memory.engram.errors import EngramError
from memory.engram.learnings import extract


def archive(text: str, session: str, *, source: str, at: datetime) -> None:
    """Save the learnings of a text as memories of a session; a text without any costs nothing."""
    if not extract(text):
        return
    try:
        observations.capture_passive(session_id=session, content=text, source=source, at=at)
    except EngramError:  # the session that started the sub-agent is not known here
        return
