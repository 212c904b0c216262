"""What a person configured for plugins, checked."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from memory.service import checks, loading
from memory.service.registry import Registry


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ({}, []),
        ({"routing": {"journal": {"enabled": False}}}, []),
        ({"routing": {"jurnal": {}, "notes": {}}}, [checks.UNKNOWN_PLUGIN] * 2),
        ({"routing": {"journal": {"scopes": []}}}, [checks.BAD_SETTINGS]),
        ({"timeout": 3}, [checks.BAD_SETTINGS]),
    ],
)
def test_a_typo_is_an_error(value: dict[str, Any], ids: list[str]) -> None:
    with override_settings(MEMORY_SERVICE=value):
        assert [message.id for message in checks.service()] == ids


def test_our_own_plugins_come_first() -> None:
    registry = Registry()
    loading.load(registry)

    rows = registry.rows()[:3]
    assert [row.id for row in rows] == ["journal", "observations", "artifacts"]
    assert {row.origin for row in rows} == {"MemDock"}
    assert all(row.is_followable for row in rows)


@override_settings(MEMORY_SERVICE={"routing": {"jurnal": {"enabled": False}}})
def test_a_routing_for_nobody_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^MEMDOCK_SERVICE: routing names the plugin 'jurnal'"):
        loading.load(Registry())


@override_settings(MEMORY_SERVICE={"routing": {"notes": {"enabled": False}}})
def test_a_routing_for_a_plugin_that_could_not_be_loaded_does_not() -> None:
    registry = Registry()
    registry.problems["notes"] = "ImportError: no"

    loading.load(registry)

    assert len(registry.rows()) >= 3
