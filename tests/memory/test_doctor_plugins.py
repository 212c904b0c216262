"""What the doctor says of memory plugins and of who follows them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from memory import doctor
from memory.doctor import plugins
from memory.doctor.check import Check
from memory.service.cursors import DatabaseCursorStore
from memory.service.desk import books
from memory.service.types import Request
from memory.service.values import Json
from tests import loops
from tests.memory.service.parts import Plugin, asked, serving

pytestmark = pytest.mark.django_db(transaction=True)


def named(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


async def broken(_request: Request) -> Json:
    raise ValueError("the notes have burned")


def test_tells_of_each_plugin_who_brought_it_what_it_may_do_and_how_it_did() -> None:
    service = serving(Plugin("notes", broken), Plugin("quiet"))
    service.registry.problems["half"] = "ImportError: no module"

    async def scene() -> None:
        await service.retrieve(asked())
        await service.registry.rows()[1].plugin.retrieve(Request.parse(asked()))
        await service.watch.flush()

    loops.run(scene())
    routing: dict[str, Any] = {"routing": {"quiet": {"operations": ["update"], "attributes": {"turn": 1}}}}
    with override_settings(MEMORY_SERVICE=routing):
        found = named(plugins.plugins(service.registry))
    books.rest()

    assert found["plugin:notes"].state == "warn"
    assert "1 calls" in found["plugin:notes"].text
    assert "1 failed" in found["plugin:notes"].text
    assert found["plugin:notes"].text.endswith("UTC: the notes have burned.")
    assert "routing: only operations update; turn = 1." in found["plugin:quiet"].text
    assert (found["plugin-package:half"].state, found["plugin-package:half"].text) == (
        "bad",
        "It could not be loaded: ImportError: no module",
    )


def test_a_plugin_that_works_again_is_in_order() -> None:
    plugin = Plugin("notes", broken)
    service = serving(plugin)

    async def scene() -> None:
        await service.retrieve(asked())
        plugin.work = None
        await asyncio.sleep(0)
        await service.retrieve(asked())
        await service.watch.flush()

    loops.run(scene())
    books.rest()
    [check] = plugins.plugins(service.registry)
    assert check.state == "ok"
    assert "the notes have burned" in check.text


@override_settings(MEMORY_SERVICE={"routing": {"journal": {"enabled": False}}})
def test_the_report_has_our_plugins_and_their_consumers() -> None:
    async def scene() -> None:
        stores = [DatabaseCursorStore("index", "changes", scope) for scope in ("*", "harbor")]
        for store in stores:
            await store.save("journal", "0")
        await stores[0].report("journal", "the disk is full", is_stopped=True)

    loops.run(scene())
    books.rest()
    found = named(doctor.examine(at=timezone.now()))

    assert found["plugin:journal"].text == "From MemDock; routing: off. It was not asked yet."
    assert found["plugin:observations"].state == "ok"
    stopped = found["consumer:index:journal:*"]
    assert (stopped.state, stopped.title) == ("warn", "index follows journal")
    assert stopped.text == "up to date; stopped: the disk is full."
    assert stopped.hint == "Start it again with `memdock consume index`."
    assert found["consumer:index:journal:harbor"].state == "ok"
