"""Which plugin's memory a change of the feed speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

JOURNAL, OBSERVATIONS, ARTIFACTS = "journal", "observations", "artifacts"

NOUNS = {
    JOURNAL: ("entry", "session", "document", "capture"),
    OBSERVATIONS: ("observation", "prompt", "relation"),
    ARTIFACTS: ("artifact", "fact"),
}
"""The first words of the kinds that belong to each plugin of ours."""

FOREIGN = "plugin.changed"
"""The kind of a change in the memory of somebody else's plugin."""

_OWNERS = {noun: plugin_id for plugin_id, nouns in NOUNS.items() for noun in nouns}


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory by the plugin that it belongs to, None where it is no plugin's, and the plugin's own id of it."""

    plugin_id: str | None
    id: str


def memory(kind: str, ref: str) -> Memory:
    """Return what a change of the feed speaks of."""
    if kind == FOREIGN:
        plugin_id, _, own = ref.removeprefix("plugin:").partition("/")
        return Memory(unquote(plugin_id), own)
    return Memory(_OWNERS.get(kind.partition(".")[0]), ref)


def foreign_ref(plugin_id: str, memory_id: str) -> str:
    """Return the ref of a memory of somebody else's plugin: `plugin:<id>/<memory>`."""
    return f"plugin:{quote(plugin_id, safe='')}/{memory_id}"
