"""The consumers that MemDock brings along: `memdock consume NAME` runs one."""

from __future__ import annotations


def load() -> None:
    """Register them; those of packages came with their plugins."""
    from memory.consumers import knowledge_index, plugin_feed, search_index  # noqa: F401 - each registers itself
