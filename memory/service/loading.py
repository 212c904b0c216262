"""Brings the plugins of this process together: our own, then those of installed packages."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memory.plugins.artifacts.plugin import ArtifactsPlugin
from memory.plugins.journal.plugin import JournalPlugin
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.service.registry import Registry, plugins
from memory.service.routing import parse

ORIGIN = "MemDock"

_OWN = (JournalPlugin, ObservationsPlugin, ArtifactsPlugin)

logger = logging.getLogger(__name__)


def load(registry: Registry = plugins) -> None:
    """Register all plugins; called once a process, when the app is ready.

    Raises ImproperlyConfigured where the routing names a plugin that is not there: what it forbids would be allowed.
    Where a package could not be loaded that plugin may be its, and the rest goes on.
    """
    for plugin in _OWN:
        registry.register(plugin(), origin=ORIGIN)
    registry.load()
    if missing := unknown(registry):
        text = f"MEMDOCK_SERVICE: routing names the plugin {missing[0]!r}, which is not installed; there are {_names(registry)}."
        if not registry.problems:
            raise ImproperlyConfigured(text)
        logger.error(text)


def unknown(registry: Registry = plugins) -> list[str]:
    """Return the ids in the routing that no plugin has. Raises BadSettings."""
    return sorted(parse(settings.MEMORY_SERVICE).routing.keys() - {row.id for row in registry})


def _names(registry: Registry) -> str:
    return ", ".join(row.id for row in registry)
