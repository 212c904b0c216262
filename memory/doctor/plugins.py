"""Checks of the memory plugins, and of those who follow them."""

from __future__ import annotations

from collections.abc import Iterator

from memory.doctor.check import Check
from memory.service import overview
from memory.service.overview import Following, PluginState
from memory.service.registry import Registry
from memory.service.registry import plugins as registered


def plugins(registry: Registry = registered) -> list[Check]:
    """Tell of each plugin who brought it, what it may do, and how it did; and which could not be loaded. One query."""
    broken = [_broken(name, why) for name, why in registry.problems.items()]
    return [*map(_plugin, overview.states(registry)), *broken]


def consumers() -> list[Check]:
    """Tell of each consumer how far it is with each plugin; nothing while nobody ever followed any. A query each."""
    return [_consumer(row) for row in overview.following()]


def _plugin(state: PluginState) -> Check:
    name, title = f"plugin:{state.id}", f"Plugin {state.id}"
    text = ". ".join(_told(state)) + "."
    if state.is_enabled and state.is_failing:
        return Check(name, title, "warn", text, f"Its last call failed: {state.last_error}")
    return Check(name, title, "ok", text)


def _told(state: PluginState) -> Iterator[str]:
    yield f"From {state.origin or 'this process'}; routing: {state.routing}"
    if not state.calls:
        yield "It was not asked yet"
        return
    pace = f", {state.latency_ms:,.1f} ms lately" if state.latency_ms is not None else ""
    yield f"{state.calls:,} calls{pace}, {state.failures:,} failed"
    if state.last_error_at:
        yield f"Last error {state.last_error_at:%Y-%m-%d %H:%M} UTC: {state.last_error.rstrip('.')}"


def _broken(name: str, why: str) -> Check:
    hint = "Repair or remove its package, then restart MemDock."
    return Check(f"plugin-package:{name}", f"Plugin package {name}", "bad", f"It could not be loaded: {why}", hint)


def _consumer(row: Following) -> Check:
    name, title = f"consumer:{row.consumer}:{row.plugin_id}:{row.scope}", f"{row.consumer} follows {row.plugin_id}"
    if not row.is_stopped:
        return Check(name, title, "warn" if row.failures else "ok", f"{row.sentence}.")
    return Check(name, title, "warn", f"{row.sentence}.", f"Start it again with `memdock consume {row.consumer}`.")
