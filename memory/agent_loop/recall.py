"""What plugins answered, as one message for an agent: a JSON document within a budget, and nothing around it.

Source of the document and of what counts as empty: dsh-patchouli, `packages/agent-loop`. Added: the budget.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from memory.agent_loop import NAME
from memory.service.types import Failure, Outcome, Success
from memory.service.values import Json

KIND = "patchouli-memory-results"

_COUNTS = frozenset({"count", "hasMore", "length", "size", "total", "truncated"})
"""Keys under which 0 and false say that there is nothing; anywhere else they are answers."""

logger = logging.getLogger("memdock.agent_loop")


class MessageJson(TypedDict):
    """A message of the kind that agents read, with one block of text."""

    role: str
    content: list[dict[str, str]]
    source: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Result:
    """What one plugin answered; `is_cut` when there was no room for all of it."""

    plugin_id: str
    data: Json
    is_cut: bool = False

    def as_json(self) -> dict[str, Json]:
        told: dict[str, Json] = {"pluginId": self.plugin_id, "data": self.data}
        return told | {"truncated": True} if self.is_cut else told


def message(point: str, outcomes: Sequence[Outcome], *, budget: int) -> MessageJson | None:
    """Return the message for what was retrieved at a point; None where nobody knew anything, or nothing has room.

    `budget` counts the characters of the whole document. Failures are logged and left out.
    """
    text = document(point, outcomes, budget=budget)
    if not text:
        return None
    source = {"kind": "plugin", "plugin": NAME, "form": "recall"}
    return MessageJson(role="user", content=[{"type": "text", "text": text}], source=source)


def document(point: str, outcomes: Sequence[Outcome], *, budget: int) -> str:
    """Return `{kind, point, results: [{pluginId, data}]}` as JSON, "" where there is nothing to tell."""
    warn(outcomes, "retrieve")
    found = [_Result(one.plugin_id, one.value) for one in outcomes if isinstance(one, Success)]
    told = [result for result in found if not is_empty(result.data)]
    room = budget - len(_written(_document(point, []))) - max(0, len(told) - 1)  # and the commas between them
    kept = _fitted(told, room)
    return _written(_document(point, kept)) if kept else ""


def is_empty(value: Json, key: str = "") -> bool:
    """Tell whether a value says nothing: null, blank, all of whose members say nothing, or a count of 0."""
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, bool | int | float):
        return not value and key in _COUNTS
    if isinstance(value, list):
        return all(is_empty(one) for one in value)
    return all(is_empty(one, name) for name, one in value.items())


def warn(outcomes: Sequence[Outcome], operation: str) -> None:
    """Log what failed; the agent's loop goes on without it."""
    for one in outcomes:
        if isinstance(one, Failure):
            logger.warning("The memory plugin %s failed to %s: %s", one.plugin_id, operation, one.error)


def cut(value: Json, room: int) -> Json:
    """Take items off the ends of a value's lists, its own or those of its fields, until it has room; else None.

    Plugins put the best first. Nothing else is taken apart: half a text may say the opposite of the whole one.
    """
    if len(_written(value)) <= room:
        return value
    if isinstance(value, list):
        return _shortened(value, room) or None
    if not isinstance(value, dict):
        return None
    made = dict(value)
    for name in sorted(made, key=lambda name: len(_written(made[name])), reverse=True):
        held = made[name]
        if isinstance(held, list):
            made[name] = _shortened(held, room - len(_written(made)) + len(_written(held)))
        if len(_written(made)) <= room:
            return None if is_empty(made) else made
    return None


def _document(point: str, results: Sequence[_Result]) -> Json:
    return {"kind": KIND, "point": point, "results": [result.as_json() for result in results]}


def _fitted(results: Sequence[_Result], room: int) -> list[_Result]:
    """Give every plugin an equal share; what one does not need is the others'. Their order stays."""
    sizes = {place: len(_written(result.as_json())) for place, result in enumerate(results)}
    kept: dict[int, _Result] = {}
    for number, place in enumerate(sorted(sizes, key=sizes.__getitem__)):
        fitted = _fit(results[place], room // (len(results) - number))
        if fitted:
            kept[place] = fitted
            room -= len(_written(fitted.as_json()))
    return [kept[place] for place in sorted(kept)]


def _fit(result: _Result, room: int) -> _Result | None:
    if len(_written(result.as_json())) <= room:
        return result
    around = len(_written(_Result(result.plugin_id, "", is_cut=True).as_json())) - len('""')
    data = cut(result.data, room - around)
    if is_empty(data):
        logger.warning("What the memory plugin %s retrieved has no room in the message", result.plugin_id)
        return None
    return _Result(result.plugin_id, data, is_cut=True)


def _shortened(items: list[Json], room: int) -> list[Json]:
    """Keep the first items that have room as a list."""
    kept: list[Json] = []
    left = room - len("[]")
    for item in items:
        left -= len(_written(item)) + bool(kept)
        if left < 0:
            break
        kept.append(item)
    return kept


def _written(value: Json) -> str:
    """Write JSON as JavaScript does: without spaces, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
