"""What a consumer reads of its own scope: artifacts as Patchouli describes them, and facts with all of their heads.

Asked with `{"artifacts": {ids?, limit?, cursor?}}` or `{"facts": {types?, ids?, limit?, cursor?}}`; the answer has the same
key, and `next`, the cursor of what follows, or null.
"""

from __future__ import annotations

from memory import paging
from memory.artifacts import queries as artifacts
from memory.artifacts import values
from memory.facts import queries as facts
from memory.facts.errors import FactError
from memory.facts.queries import MOST, USUAL, FactState
from memory.models import Artifact
from memory.paging import BadCursor
from memory.service.errors import BadRequest
from memory.service.types import Request
from memory.service.values import Json


def answer(request: Request) -> Json:
    """Return `{"artifacts": […], "next"}` or `{"facts": […], "next"}`, None for data that asks for neither.

    Raises BadRequest.
    """
    data, scope = request.data, request.meta.scope
    if not isinstance(data, dict):
        return None
    try:
        if isinstance(asked := data.get("artifacts"), dict):
            return _artifacts(scope, asked)
        if isinstance(asked := data.get("facts"), dict):
            return _facts(scope, asked)
    except (BadCursor, FactError) as exc:
        raise BadRequest(str(exc)) from exc
    return None


def _artifacts(scope: str, asked: dict[str, Json]) -> Json:
    """A receipt's version goes with each; the bytes are for `memory.artifacts.blobs.opened`."""
    pks = [int(one) for one in _texts(asked, "ids") if one.isascii() and one.isdigit() and len(one) < 19]
    rows = artifacts.in_scope(scope, pks if "ids" in asked else None)
    found = paging.page(rows, order=artifacts.ORDER, limit=_limit(asked), cursor=_text(asked, "cursor"))
    return {"artifacts": [_artifact(row) for row in found.items], "next": found.next or None}


def _facts(scope: str, asked: dict[str, Json]) -> Json:
    found = facts.page(
        scope=scope,
        types=_texts(asked, "types"),
        ids=_texts(asked, "ids"),
        limit=_limit(asked),
        cursor=_text(asked, "cursor"),
    )
    return {"facts": [_fact(one) for one in found.facts], "next": found.next or None}


def _artifact(row: Artifact) -> Json:
    ref: Json = {"type": "artifact", "id": str(row.pk)}
    return {"ref": ref, "version": values.version(row), "role": row.role, "value": values.value(row)}


def _fact(found: FactState) -> Json:
    variants: list[Json] = [
        {"version": one.version, "deleted": True} if one.value is None else {"version": one.version, "value": one.value}
        for one in found.variants
    ]
    return {"ref": {"type": found.type, "id": found.id}, "state": found.state, "variants": variants}


def _texts(asked: dict[str, Json], key: str) -> list[str]:
    told = asked.get(key, [])
    if not isinstance(told, list) or len(told) > MOST:
        raise BadRequest(f"{key} is a list of at most {MOST} texts")
    found = [one for one in told if isinstance(one, str) and "\0" not in one]
    if len(found) < len(told):
        raise BadRequest(f"{key} is a list of at most {MOST} texts")
    return found


def _text(asked: dict[str, Json], key: str) -> str:
    told = asked.get(key) or ""
    if not isinstance(told, str):
        raise BadRequest(f"{key} is no text")
    return told


def _limit(asked: dict[str, Json]) -> int:
    told = asked.get("limit", USUAL)
    if not isinstance(told, int) or isinstance(told, bool) or not 1 <= told <= MOST:
        raise BadRequest(f"limit is a number from 1 to {MOST}")
    return told
