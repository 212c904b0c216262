"""Which plugin gets which call: what the user allows, what the plugin wants, what was said when it was registered.

Source: dsh-patchouli's routing; unlike there, an empty list or an unknown name is an error and not "everything".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from memory.service.types import Call, Operation
from memory.service.values import Json

RETRIEVE_TIMEOUT_S = 30.0
UPDATE_TIMEOUT_S = 60.0


class BadSettings(ValueError):
    """What the user configured cannot be followed; the message names the plugin and the field."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What the user allows a plugin; None allows everything."""

    enabled: bool = True
    operations: frozenset[str] | None = None
    source_types: frozenset[str] | None = None
    source_ids: frozenset[str] | None = None
    scopes: frozenset[str] | None = None
    attributes: Mapping[str, Json] = field(default_factory=dict)
    retrieve_timeout: float | None = None
    update_timeout: float | None = None

    def allows(self, call: Call) -> bool:
        """Tell whether a call may reach the plugin; attributes have to be equal, further ones do not matter."""
        told = call.meta
        return (
            self.enabled
            and _is_in(self.operations, call.operation)
            and _is_in(self.source_types, told.source.type)
            and _is_in(self.source_ids, told.source.id)
            and _is_in(self.scopes, told.scope)
            and all(key in told.attributes and _same(told.attributes[key], one) for key, one in self.attributes.items())
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """How long the service waits, in seconds, and the policies by plugin."""

    retrieve_timeout: float = RETRIEVE_TIMEOUT_S
    update_timeout: float = UPDATE_TIMEOUT_S
    routing: Mapping[str, Policy] = field(default_factory=dict)

    def policy(self, plugin_id: str) -> Policy:
        return self.routing.get(plugin_id, _EVERYTHING)

    def deadline(self, plugin_id: str, operation: Operation) -> float:
        """Return the seconds that a plugin has for a call."""
        policy = self.policy(plugin_id)
        if operation is Operation.UPDATE:
            return policy.update_timeout or self.update_timeout
        return policy.retrieve_timeout or self.retrieve_timeout


_EVERYTHING = Policy()
_LISTS = ("operations", "source_types", "source_ids", "scopes")
_TIMEOUTS = ("retrieve_timeout", "update_timeout")


def parse(value: Mapping[str, Any]) -> Settings:
    """Read `{"retrieve_timeout": 30, "update_timeout": 60, "routing": {plugin: policy}}`. Raises BadSettings."""
    _known(value, [one.name for one in fields(Settings)], "the service's settings")
    routing = value.get("routing", {})
    if not isinstance(routing, Mapping):
        raise BadSettings("routing is no object")
    return Settings(
        **{name: _seconds(value[name], name) for name in _TIMEOUTS if name in value},
        routing={plugin_id: _policy(plugin_id, policy) for plugin_id, policy in routing.items()},
    )


def _policy(plugin_id: str, value: object) -> Policy:
    if not isinstance(value, Mapping):
        raise BadSettings(f"the routing of {plugin_id} is no object")
    _known(value, [one.name for one in fields(Policy)], f"the routing of {plugin_id}")
    told: dict[str, Any] = {name: _names(value[name], f"{plugin_id}: {name}") for name in _LISTS if name in value}
    told |= {name: _seconds(value[name], f"{plugin_id}: {name}") for name in _TIMEOUTS if name in value}
    if unknown := sorted(told.get("operations", set()) - set(Operation)):
        raise BadSettings(f"{plugin_id}: operations has {unknown[0]!r}, which is none of {', '.join(Operation)}")
    for name, kind in (("enabled", bool), ("attributes", dict)):
        if name in value:
            if not isinstance(value[name], kind):
                raise BadSettings(f"{plugin_id}: {name} is no {'object' if kind is dict else 'true or false'}")
            told[name] = value[name]
    return Policy(**told)


def _known(value: Mapping[str, Any], names: Iterable[str], where: str) -> None:
    known = list(names)
    for name in value:
        if name not in known:
            raise BadSettings(f"{where}: unknown field {name!r}; there are {', '.join(known)}")


def _names(value: object, name: str) -> frozenset[str]:
    if not isinstance(value, list | tuple) or not value or not all(isinstance(one, str) and one for one in value):
        raise BadSettings(f"{name} is no list of at least one text; leave it out to allow everything")
    return frozenset(value)


def _seconds(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise BadSettings(f"{name} is no number of seconds above 0")
    return float(value)


def _is_in(allowed: frozenset[str] | None, value: str) -> bool:
    return allowed is None or value in allowed


def _same(one: Json, other: Json) -> bool:
    """Compare as JSON does: true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other and isinstance(one, bool) == isinstance(other, bool)
