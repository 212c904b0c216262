"""The memory app: everything that is remembered."""

from __future__ import annotations

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        """Pass the change feed's bell on to other machines, where a channel layer reaches them."""
        from memory.feed import layer  # needs the models

        layer.connect()
