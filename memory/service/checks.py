"""System checks: whether what a person configured for the memory service can be followed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from memory.service.loading import unknown
from memory.service.registry import plugins
from memory.service.routing import BadSettings, parse

BAD_SETTINGS, UNKNOWN_PLUGIN = "memory.E001", "memory.E002"


def connect() -> None:
    """Register the check; called once, when the app is ready."""
    register(service)


def service(**_asked: Any) -> list[CheckMessage]:
    """Check that the settings can be read, and that each plugin in the routing is there."""
    try:
        parse(settings.MEMORY_SERVICE)
    except BadSettings as exc:
        return [Error(f"MEMORY_SERVICE: {exc}.", hint="See MEMDOCK_SERVICE.", id=BAD_SETTINGS)]
    there = ", ".join(row.id for row in plugins)
    return [
        Error(
            f"MEMORY_SERVICE: routing names an unknown plugin, {one!r}.", hint=f"There are {there}.", id=UNKNOWN_PLUGIN
        )
        for one in unknown()
    ]
