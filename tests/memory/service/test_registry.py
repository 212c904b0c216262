"""Which plugins a process has."""

from __future__ import annotations

from typing import Any

import pytest

from memory.service.errors import RegistrationError
from memory.service.registry import Registry
from memory.service.types import Failure
from tests import loops
from tests.memory.service.parts import Log, Plugin, asked, serving


def ids(registry: Registry) -> list[str]:
    return [row.id for row in registry]


@pytest.mark.parametrize("plugin_id", ["", "  ", None, 3, "two\nlines", "x" * 201])
def test_an_id_is_a_line_of_text(plugin_id: Any) -> None:
    with pytest.raises(RegistrationError):
        Registry().register(Plugin(plugin_id))


def test_an_id_is_taken_once() -> None:
    registry = Registry()
    registry.register(Plugin("notes"))

    with pytest.raises(RegistrationError, match="notes is registered already"):
        registry.register(Plugin("notes"))


def test_what_cannot_be_asked_is_no_plugin() -> None:
    class Half:
        id = "half"

        async def update(self, request: object) -> None: ...

    with pytest.raises(RegistrationError, match="half has no retrieve"):
        Registry().register(Half())  # type: ignore[arg-type]


def test_an_old_registration_does_not_take_away_a_newer_one() -> None:
    registry = Registry()
    old = registry.register(Plugin("notes"))
    old.dispose()
    registry.register(Plugin("notes"))

    old.dispose()

    assert ids(registry) == ["notes"]


def test_plugins_stay_in_the_order_in_which_they_came() -> None:
    registry = Registry()
    rows = [registry.register(Plugin(one)) for one in ("c", "a", "b")]

    rows[1].dispose()
    registry.register(Log("a"), origin="a package")

    assert [(row.id, row.origin, row.is_followable) for row in registry] == [
        ("c", "", False),
        ("b", "", False),
        ("a", "a package", True),
    ]


def test_a_disposed_plugin_is_not_asked() -> None:
    service = serving(Plugin("a"), Plugin("b"))

    async def scene() -> None:
        service.registry.rows()[0].dispose()
        assert [one.plugin_id for one in await service.retrieve(asked())] == ["b"]

    loops.run(scene())


def test_a_plugin_keeps_the_id_it_came_with() -> None:
    plugin = Plugin("notes")
    service = serving(plugin)

    async def scene() -> None:
        plugin.id = "other"
        plugin.work = lambda _: 1 / 0  # type: ignore[assignment, return-value]
        [outcome] = await service.retrieve(asked())
        assert isinstance(outcome, Failure)
        assert outcome.plugin_id == "notes"

    loops.run(scene())
