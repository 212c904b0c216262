"""The shapes of the service: requests, outcomes, changes. Inside snake_case, at JSON's edges the wire's camelCase."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from memory.service.errors import BadRequest
from memory.service.values import Json, copied


class Operation(StrEnum):
    UPDATE = "update"
    RETRIEVE = "retrieve"
    SUBSCRIBE = "subscribe"


@dataclass(frozen=True, slots=True)
class Source:
    """Who calls: a kind ("agent-loop", "consumer", "plugin", …) and an id."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class Meta:
    """Everything that routing may look at. `scope` is the namespace: a workspace's path, else a session's id."""

    source: Source
    scope: str
    request_id: str = ""
    attributes: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def parse(cls, value: object) -> Meta:
        """Read `{source: {type, id}, scope, requestId?, attributes?}` and copy it. Raises BadRequest."""
        told = _object(value, "meta", {"source", "scope", "requestId", "attributes"})
        source = _object(told.get("source"), "meta.source", {"type", "id"})
        attributes = copied(_object(told.get("attributes", {}), "meta.attributes"), "meta.attributes")
        assert isinstance(attributes, dict)  # noqa: S101 - a copied object is one
        return cls(
            source=Source(_text(source, "type", "meta.source.type"), _text(source, "id", "meta.source.id")),
            scope=_text(told, "scope", "meta.scope"),
            request_id=_text(told, "requestId", "meta.requestId") if "requestId" in told else "",
            attributes=attributes,
        )

    def as_json(self) -> dict[str, Json]:
        told: dict[str, Json] = {"source": {"type": self.source.type, "id": self.source.id}, "scope": self.scope}
        if self.request_id:
            told["requestId"] = self.request_id
        if self.attributes:
            told["attributes"] = copied(dict(self.attributes), "meta.attributes")
        return told

    def copy(self) -> Meta:
        """Return the same with attributes of its own."""
        return Meta.parse(self.as_json())


@dataclass(frozen=True, slots=True)
class Request:
    """What is told or asked; `data` belongs to the source, and only plugins give it a meaning."""

    meta: Meta
    data: Json = None

    @classmethod
    def parse(cls, value: object) -> Request:
        """Read `{meta, data}` and copy it. Raises BadRequest."""
        told = _object(value, "request", {"meta", "data"})
        if "data" not in told:
            raise BadRequest("data is missing")
        return cls(Meta.parse(told.get("meta")), copied(told["data"]))

    def copy(self) -> Request:
        """Return the same, sharing nothing. Raises BadRequest where it is no strict JSON."""
        return Request(self.meta.copy(), copied(self.data))


@dataclass(frozen=True, slots=True)
class Call:
    """What filters see: never the data."""

    operation: Operation
    meta: Meta


type Filter = Callable[[Call], bool]


@dataclass(frozen=True, slots=True)
class Success:
    """What a plugin answered, in `duration_ms` milliseconds."""

    plugin_id: str
    value: Json
    duration_ms: float = 0.0
    is_ok: bool = field(default=True, init=False)

    def as_json(self) -> dict[str, Json]:
        return {"pluginId": self.plugin_id, "ok": True, "value": self.value, "durationMs": round(self.duration_ms, 2)}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a plugin did not answer; `code` is filter, error, timeout, cancelled or bad_result."""

    plugin_id: str
    error: str
    code: str = "error"
    duration_ms: float = 0.0
    is_ok: bool = field(default=False, init=False)

    def as_json(self) -> dict[str, Json]:
        told: dict[str, Json] = {"pluginId": self.plugin_id, "ok": False, "error": self.error}
        return told | {"code": self.code, "durationMs": round(self.duration_ms, 2)}


type Outcome = Success | Failure


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One change of a plugin's memory; `cursor` is opaque and only ever compared for equality."""

    plugin_id: str
    cursor: str
    memory_id: str = ""
    metadata: Mapping[str, Json] | None = None

    def as_json(self) -> dict[str, Json]:
        told: dict[str, Json] = {"pluginId": self.plugin_id, "cursor": self.cursor}
        if self.memory_id:
            told["memoryId"] = self.memory_id
        if self.metadata is not None:
            told["metadata"] = dict(self.metadata)
        return told


type Handler = Callable[[MemoryChange], Awaitable[None]]


def _object(value: object, name: str, known: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRequest(f"{name} is {'missing' if value is None else 'no object'}")
    unknown = [key for key in value if known is not None and key not in known]
    if unknown:
        raise BadRequest(f"{name} has an unknown field: {unknown[0]!r:.60}")
    return value


def _text(told: dict[str, Any], key: str, name: str) -> str:
    value = told.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(
            f"{name} is {'missing' if value is None else 'blank' if value == '' else 'no text that says anything'}"
        )
    return str(copied(value, name))
