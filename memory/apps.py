"""The memory app: everything that is remembered."""

from __future__ import annotations

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        """Let those hear the change feed's bell that have to, the search index and other machines; load plugins."""
        from memory.feed import layer  # need the models
        from memory.search import index
        from memory.service import checks, loading

        index.connect()
        layer.connect()
        checks.connect()
        loading.load()
