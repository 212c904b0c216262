"""Whether a task has anything to do now: MemSearch's own rule, and the pauses after failures that it has not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject

PAUSES = (timedelta(minutes=15), timedelta(hours=1), timedelta(hours=6), timedelta(days=1))
"""How long a task rests after its first, second … failure in a row; the last one holds for all later ones."""

_LONGEST = 24 * 36_500  # hours; more cannot be counted


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a task is due, and why or why not, in MemSearch's words."""

    is_due: bool
    reason: str


def due(entry: JsonObject, digest: str, *, hours: int, is_forced: bool = False, at: datetime) -> Due:
    """Apply MemSearch's rule to a task's entry in the state file and the digest of its input."""
    if is_forced:
        return Due(is_due=True, reason="force")
    if entry.get("last_input_digest") == digest:
        return Due(is_due=False, reason="input unchanged")
    return interval(entry, hours=hours, at=at)


def interval(entry: JsonObject, *, hours: int, at: datetime) -> Due:
    """Tell whether the interval of a task has passed, whatever its input."""
    last = entry.get("last_success_at")
    if not last:
        return Due(is_due=True, reason="never run")
    moment = _moment(str(last))
    if moment is None:
        return Due(is_due=True, reason="invalid state timestamp")
    if at - moment < timedelta(hours=min(max(0, hours), _LONGEST)):
        return Due(is_due=False, reason=f"not due for {hours}h")
    return Due(is_due=True, reason="due")


def rest(entry: JsonObject, *, failures: int, failed_at: datetime | None, at: datetime) -> Due:
    """Tell whether a task rests after `failures` in a row, of which the last was `failed_at`, or after MemSearch's own."""
    noted, succeeded_at = (_moment(fields.text(entry.get(key))) for key in ("last_failed_at", "last_success_at"))
    last = max((moment for moment in (noted, failed_at) if moment), default=None)
    if last is None or (succeeded_at and succeeded_at >= last):
        return Due(is_due=True, reason="")
    count = max(failures, 1)
    if at >= last + PAUSES[min(count, len(PAUSES)) - 1]:
        return Due(is_due=True, reason="")
    return Due(is_due=False, reason=f"resting after {count} failure{'s' if count > 1 else ''}")


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
