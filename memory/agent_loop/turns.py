"""Whether the events of a turn are all of them: only a whole turn is told to anybody."""

from __future__ import annotations

from typing import TypeGuard

from memory.agent_loop.errors import BadObservation
from memory.service.values import Json

_START, _END = "turn/start", "turn/end"


def facts(data: dict[str, Json]) -> dict[str, Json]:
    """Return what a turn that ended is routed by: its number, and how it ended ("completed", "aborted", …).

    Raises BadObservation unless `events` begin with the turn's start, end with `event`, its end, and are numbered
    without a gap.
    """
    turn, outcome = _end(data["event"])
    check(data["events"], data["event"], turn)
    return {"turn": turn, "outcome": outcome}


def check(events: Json, end: Json, turn: int) -> None:
    """Make sure that these are the events of one turn, all of them. Raises BadObservation."""
    if not isinstance(events, list) or not events:
        raise BadObservation("holds no events", "data.events")
    if events[-1] != end:
        raise BadObservation("does not end with the end of the turn", "data.events")
    starts = [place for place, event in enumerate(events) if _is(event, _START)]
    if starts != [0] or _turn(events[0]) != turn:
        raise BadObservation(f"does not begin with the start of turn {turn}, its only one", "data.events")
    numbers = [_seq(event) for event in events]
    if None in numbers or numbers != list(range(numbers[0] or 0, (numbers[0] or 0) + len(numbers))):
        raise BadObservation("is not numbered without a gap", "data.events")


def next_seq(data: Json) -> int:
    """Return the number of the event after a turn's end, 0 where that is not known."""
    event = data.get("event") if isinstance(data, dict) else None
    seq = _seq(event)
    return 0 if seq is None else seq + 1


def is_number(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _end(event: Json) -> tuple[int, str]:
    turn = _turn(event)
    if not _is(event, _END) or turn is None or _seq(event) is None:
        raise BadObservation("is no end of a turn", "data.event")
    reason = _data(event).get("reason")
    kind = reason.get("kind") if isinstance(reason, dict) else None
    if not isinstance(kind, str):
        raise BadObservation("does not say how the turn ended", "data.event")
    return turn, kind


def _is(event: Json, kind: str) -> bool:
    return isinstance(event, dict) and event.get("type") == kind


def _turn(event: Json) -> int | None:
    turn = _data(event).get("turn")
    return turn if is_number(turn) else None


def _seq(event: Json) -> int | None:
    seq = event.get("seq") if isinstance(event, dict) else None
    return seq if is_number(seq) else None


def _data(event: Json) -> dict[str, Json]:
    data = event.get("data") if isinstance(event, dict) else None
    return data if isinstance(data, dict) else {}
