"""The two tools with which a model uses all memory plugins: `memory_retrieve` and `memory_update`.

Both answer with one text, the JSON of the outcomes, failures included. Source of the schemas: dsh-patchouli; the role
`reference`, which its documentation has and its code refused, is taken.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from memory.agent_loop import apart, policy, recall
from memory.agent_loop.errors import BadObservation, SwitchedOff
from memory.agent_loop.points import TOOL_RETRIEVE, TOOL_UPDATE, Session
from memory.engram.redaction import redact_all
from memory.service.service import MemoryService
from memory.service.service import service as common
from memory.service.types import Outcome, Request, Success
from memory.service.values import Json

RETRIEVE, UPDATE = "memory_retrieve", "memory_update"
ROLES = ("source", "attachment", "reference")

LARGEST_VALUE = 50_000
"""Characters of one plugin's answer that a model is told; of more, the ends of lists are left out."""

_LARGEST_NUMBER = 2**53 - 1

type _Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

SCHEMAS: dict[str, dict[str, Any]] = {
    RETRIEVE: {
        "type": "object",
        "additionalProperties": False,
        "required": ["query"],
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    },
    UPDATE: {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "messages": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["role", "content"],
                    "properties": {
                        "role": {"type": "string", "enum": ["user", "assistant"]},
                        "content": {"type": "string"},
                    },
                },
            },
            "resources": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["kind", "path"],
                    "properties": {
                        "kind": {"type": "string", "enum": ["workspace-file"]},
                        "path": {"type": "string"},
                        "mediaType": {"type": "string"},
                        "name": {"type": "string"},
                        "role": {"type": "string", "enum": list(ROLES)},
                    },
                },
            },
        },
    },
}
"""The arguments as a model is told of them."""


class _Arguments(BaseModel):
    """Exactly these fields, of exactly these types; texts are trimmed and may not be blank."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Retrieve(_Arguments):
    query: _Said
    limit: Annotated[int, Field(ge=1, le=_LARGEST_NUMBER)] = 1


class _Message(_Arguments):
    role: Literal["user", "assistant"]
    content: _Said


class _Resource(_Arguments):
    kind: Literal["workspace-file"]
    path: _Said
    mediaType: _Said = ""
    name: _Said = ""
    role: Literal["source", "attachment", "reference"] = "attachment"


class _Update(_Arguments):
    messages: list[_Message] = []
    resources: list[_Resource] = []

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.messages and not self.resources:
            raise ValueError("at least one message or resource is needed")
        return self


_ARGUMENTS: dict[str, type[_Arguments]] = {RETRIEVE: _Retrieve, UPDATE: _Update}


def retrieve(session: Session, arguments: object, *, service: MemoryService = common) -> str:
    """Ask all plugins for a query. Raises BadObservation, SwitchedOff."""
    data = parsed(RETRIEVE, arguments)
    _require(session, "retrieve", RETRIEVE)
    outcomes = apart.run(service.retrieve(Request(session.meta(TOOL_RETRIEVE), data)))
    recall.warn(outcomes, "retrieve")
    return told(outcomes)


def update(session: Session, arguments: object, *, call_id: str = "", service: MemoryService = common) -> str:
    """Tell all plugins messages, or files of the workspace by their paths; the files are not read here.

    The same `call_id` again changes nothing. Raises BadObservation, SwitchedOff, RequestConflict, RequestBusy.
    """
    data = parsed(UPDATE, arguments)
    _require(session, "update", UPDATE)
    meta = session.meta(TOOL_UPDATE, request_id=_request_id(session, call_id))
    outcomes = apart.run(service.update(Request(meta, data)))
    recall.warn(outcomes, "update")
    return told(outcomes)


def parsed(tool: str, arguments: object) -> dict[str, Json]:
    """Return what was given, trimmed and without private blocks; what was not given stays away. Raises BadObservation."""
    try:
        found = _ARGUMENTS[tool].model_validate(arguments)
    except ValidationError as exc:
        first = exc.errors()[0]
        place = ".".join(str(name) for name in ("arguments", *first["loc"]))
        raise BadObservation(first["msg"], place) from exc
    data = redact_all(found.model_dump(exclude_unset=True))
    assert isinstance(data, dict)  # noqa: S101 - a model is one
    return {name: value for name, value in data.items() if value != []}


def told(outcomes: Sequence[Outcome]) -> str:
    """Write the outcomes as JSON."""
    return json.dumps([_told(one) for one in outcomes], ensure_ascii=False, separators=(",", ":"))


def _told(one: Outcome) -> Json:
    if not isinstance(one, Success):
        return one.as_json()
    value = recall.cut(one.value, LARGEST_VALUE)
    return one.as_json() | ({} if value == one.value else {"value": value, "truncated": True})


def _require(session: Session, name: str, tool: str) -> None:
    if not policy.of_scope(session.scope).has("model_tools", name):
        raise SwitchedOff(f"{tool} is switched off for this project.")


def _request_id(session: Session, call_id: str) -> str:
    return hashlib.sha256(json.dumps(["tool", session.id, call_id]).encode()).hexdigest() if call_id else ""
