"""What agents keep of a conversation that became too long: archived as a memory, for when the rest is gone."""

from __future__ import annotations

import hashlib
from datetime import datetime

from memory.capture.platforms.base import Compaction
from memory.engram import observations
from memory.engram.errors import OperationConflict, OwnershipRequired
from memory.recall import recovery
from memory.recall.recovery import Outcome

TITLE = "Compaction recovery summary"
TOPIC = "session/compaction-recovery"
"""As dsh-gentle-engram saves it, so that both are one memory."""


def archive(compaction: Compaction, session: str, *, at: datetime) -> None:
    """Save a summary as a memory of its session, once, and have the agent told at its next turn what became of it.

    What the agent's plugin saved already under the same operation is left alone: the plugin told the agent itself.
    """
    if not compaction.text.strip():
        return
    if outcome := _saved(compaction.text, session, at=at):
        recovery.owe(session, outcome, at=at)


def _saved(text: str, session: str, *, at: datetime) -> Outcome | None:
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    try:
        saved = observations.save(
            session_id=session,
            title=TITLE,
            content=text,
            type="session_summary",
            topic_key=TOPIC,
            operation_id=f"compaction/{session}/{digest}"[-200:],
            at=at,
        )
    except OperationConflict:  # saved by the plugin, which names the project too
        return None
    except OwnershipRequired:
        return Outcome.UNAVAILABLE
    return None if saved.outcome == "duplicate" else Outcome.CONFIRMED
