"""What agents keep of a conversation that became too long: archived as a memory, for when the rest is gone."""

from __future__ import annotations

import hashlib
from datetime import datetime

from memory.capture.platforms.base import Compaction
from memory.engram import observations

TITLE = "Compaction recovery summary"
TOPIC = "session/compaction-recovery"
"""As dsh-gentle-engram saves it, so that both are one memory."""


def archive(compaction: Compaction, session: str, *, at: datetime) -> None:
    """Save a summary as a memory of its session, once."""
    if not compaction.text.strip():
        return
    digest = hashlib.sha256(compaction.text.encode()).hexdigest()[:16]
    observations.save(
        session_id=session,
        title=TITLE,
        content=compaction.text,
        type="session_summary",
        topic_key=TOPIC,
        operation_id=f"compaction/{session}/{digest}"[-200:],
        at=at,
    )
