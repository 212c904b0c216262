"""What an agent is told once after its conversation was compacted: whether the summary is safe."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import QuerySet

from memory.engram import holding
from memory.models import Injection


class Outcome(StrEnum):
    """What became of a summary. One that could not be written is delivered again until it can."""

    CONFIRMED = "confirmed"
    UNAVAILABLE = "unavailable"


# Each is shorter than the smallest budget of a recall.
_GUIDANCE = {
    Outcome.CONFIRMED: "[memdock] This conversation was compacted, and its summary is saved: do not save it again. "
    "mem_context brings back more.",
    Outcome.UNAVAILABLE: "[memdock] This conversation was compacted; its project is not known, so the summary is not "
    "saved. Look with mem_current_project, then save it once.",
}
_OWED = {f"The conversation was compacted ({outcome}); to be told at the next turn.": outcome for outcome in Outcome}
_REASONS = {outcome: reason for reason, outcome in _OWED.items()}


@transaction.atomic(durable=True)
def owe(session: str, outcome: Outcome, *, at: datetime) -> None:
    """Note that a session's agent is to be told an outcome; a session that is not known is told nothing."""
    if found := holding.session(session):
        Injection.objects.create(session=found, reason=_REASONS[outcome], at=at)


def owed(session: str) -> str:
    """Return what the agent is still to be told, "" for nothing. One query."""
    newest = _rows(session).order_by("-at", "-pk").values_list("reason", flat=True).first()
    return _GUIDANCE[_OWED[newest]] if newest else ""


@transaction.atomic(durable=True)
def settle(session: str) -> bool:
    """Note that the agent is being told; False where another request tells it."""
    return _rows(session).delete()[0] > 0


def _rows(session: str) -> QuerySet[Injection]:
    return Injection.objects.filter(session__key=holding.key(session), text="", reason__in=_OWED)
