"""How plugins do, written down for people."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from memory.models import PluginHealth
from memory.service import watch
from memory.service.desk import books
from memory.service.types import Request
from memory.service.values import Json
from tests import loops
from tests.memory.service.parts import Picky, Plugin, asked, in_database, serving, until

pytestmark = pytest.mark.django_db(transaction=True)


async def broken(_request: Request) -> Json:
    raise ValueError("no \0 disk")


def health() -> dict[str, PluginHealth]:
    return {row.plugin_id: row for row in PluginHealth.objects.all()}


def has_counted(number: int) -> bool:
    return PluginHealth.objects.filter(plugin_id="notes", calls=number).exists()


def test_calls_failures_and_the_last_error_are_counted_over_processes() -> None:
    async def scene() -> None:
        service = serving(Plugin("good"), Plugin("bad", broken), Picky("odd", wants=lambda _: bool(1 / 0)))
        await service.retrieve(asked())
        await service.update(asked())
        await service.watch.flush()

    for _ in range(2):
        loops.run(scene())
    rows = health()
    assert [(rows[one].calls, rows[one].failures) for one in ("good", "bad", "odd")] == [(4, 0), (4, 4), (4, 4)]
    assert (rows["bad"].last_error, rows["bad"].last_error_code) == ("no \ufffd disk", "error")
    assert rows["good"].latency_ms is not None
    assert rows["good"].last_error_at is None
    assert rows["odd"].latency_ms is None, "a filter that fails says nothing of the plugin's speed"


def test_a_loop_that_lives_on_writes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "EVERY_S", 0.01)

    async def scene() -> None:
        service = serving(Plugin("notes"))
        for number in (1, 2):
            await service.retrieve(asked())
            await in_database(partial(has_counted, number))


def test_loops_that_live_for_one_call_each_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    service = serving(Plugin("notes"))

    async def call() -> None:
        await service.retrieve(asked())

    for _ in range(3):
        loops.run(call())
    books.rest()
    assert health() == {}
    monkeypatch.setattr(watch, "EVERY_S", 0.0)
    loops.run(call())
    books.rest()
    assert health()["notes"].calls == 4


def test_a_call_that_was_given_up_counts_what_was_answered() -> None:
    async def hanging(_request: Request) -> Json:
        return await asyncio.Event().wait()

    async def scene() -> None:
        slow, quick = Plugin("slow", hanging), Plugin("quick")
        service = serving(slow, quick)
        call = asyncio.create_task(service.retrieve(asked()))
        await until(lambda: slow.requests and quick.requests)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await service.watch.flush()

    loops.run(scene())
    assert [(row.plugin_id, row.calls) for row in PluginHealth.objects.all()] == [("quick", 1)]
