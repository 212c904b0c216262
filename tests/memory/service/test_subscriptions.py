"""Following plugins: in order, one after the other, from durable cursors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from memory.service.cursors import MemoryCursorStore
from memory.service.errors import BadRequest
from memory.service.plugins import PluginChange
from memory.service.types import Call, MemoryChange, Operation
from tests import loops
from tests.memory.service.parts import Ear, Log, Plugin, Store, meta, serving, soon, until


def test_a_plugin_is_followed_from_its_end_and_each_cursor_is_saved_after_its_handler() -> None:
    async def scene() -> None:
        store, ear, log = Store(), Ear(), Log("notes")
        log.tell("old")

        async def handle(change: MemoryChange) -> None:
            store.diary.append(f"begin {change.memory_id}")
            await asyncio.sleep(0)
            store.diary.append(f"end {change.memory_id}")

        subscription = serving(log).subscribe({"meta": meta().as_json()}, handle, cursor_store=store)
        await until(lambda: "save 1" in store.diary)
        log.tell("a", "b")
        await until(lambda: "save 3" in store.diary)
        await soon(subscription.unsubscribe())

        assert log.opened == [None]
        assert store.diary == [
            *("load", "save 1"),
            *("begin a", "end a", "save 2"),
            *("begin b", "end b", "save 3"),
        ]
        assert ear.errors == []

    loops.run(scene())


def test_a_plugin_is_followed_from_where_the_consumer_was() -> None:
    async def scene() -> None:
        store, ear, log = MemoryCursorStore({"notes": "1"}), Ear(), Log("notes")
        log.tell("old", "a", "b")
        subscription = serving(log).subscribe(meta(), ear.handle, cursor_store=store)
        await ear.hears("a", "b")
        await soon(subscription.unsubscribe())

        assert log.opened == ["1"]
        assert store.cursors == {"notes": "3"}
        assert ear.changes[0] == MemoryChange("notes", "2", "a", {"number": 2})

    loops.run(scene())


def test_what_happens_while_the_feed_is_being_opened_waits_for_its_beginning_to_be_saved() -> None:
    class Slow(Store):
        async def save(self, plugin_id: str, cursor: str) -> None:
            if cursor == "1":
                log.tell("early")
                await may_save.wait()
            await super().save(plugin_id, cursor)

    async def scene() -> None:
        store, ear = Slow(), Ear()
        log.tell("old")
        subscription = serving(log).subscribe(meta(), ear.handle, cursor_store=store)
        await until(lambda: len(log.changes) == 2)
        assert ear.heard == []
        may_save.set()
        await ear.hears("early")
        await soon(subscription.unsubscribe())
        assert store.diary == ["load", "save 1", "save 2"]

    log, may_save = Log("notes"), asyncio.Event()
    loops.run(scene())


def test_changes_are_handled_one_at_a_time_and_plugins_do_not_wait_for_one_another() -> None:
    running: dict[str, int] = {"a": 0, "b": 0}
    may_go = asyncio.Event()
    ear = Ear()

    async def handle(change: MemoryChange) -> None:
        running[change.plugin_id] += 1
        assert running[change.plugin_id] == 1
        if change.plugin_id == "a":
            await may_go.wait()
        running[change.plugin_id] -= 1
        await ear.handle(change)

    async def scene() -> None:
        slow, quick = Log("a"), Log("b")
        store = MemoryCursorStore({"a": "0", "b": "0"})
        slow.tell("a1", "a2")
        quick.tell("b1", "b2", "b3")
        subscription = serving(slow, quick).subscribe(meta(), handle, cursor_store=store)
        await ear.hears("b1", "b2", "b3")
        may_go.set()
        await ear.hears("b1", "b2", "b3", "a1", "a2")
        await soon(subscription.unsubscribe())

    loops.run(scene())


def test_the_last_cursor_told_again_is_skipped_and_an_older_one_is_not() -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.changes = [PluginChange(cursor, f"m{cursor}") for cursor in ("1", "2", "2", "1", "2")]
        subscription = serving(log).subscribe(meta(), ear.handle, cursor_store=MemoryCursorStore({"notes": "0"}))
        await ear.hears("m1", "m2", "m1", "m2")
        await soon(subscription.unsubscribe())

    loops.run(scene())


def test_a_checkpoint_moves_the_cursor_and_disturbs_nobody() -> None:
    async def scene() -> None:
        log, ear, store = Log("notes"), Ear(), MemoryCursorStore()
        subscription = serving(log).subscribe(meta(), ear.handle, cursor_store=store)
        await until(lambda: store.cursors)
        log.changes.append(PluginChange("1", is_checkpoint=True))
        log.tell("a")
        await ear.hears("a")
        log.changes.append(PluginChange("3", is_checkpoint=True))
        log.tell()
        await until(lambda: store.cursors == {"notes": "3"})
        await soon(subscription.unsubscribe())
        assert ear.heard == ["a"]

    loops.run(scene())


@dataclass(slots=True)
class PickyLog(Log):
    """A plugin that can be followed by whom it wants."""

    wants: Callable[[Call], bool] = lambda _: True
    calls: list[Call] = field(default_factory=list)

    def accepts(self, call: Call) -> bool:
        self.calls.append(call)
        return self.wants(call)


def test_only_those_are_followed_that_can_and_want_and_may_be() -> None:
    async def scene() -> None:
        ear = Ear()
        broken = PickyLog("broken", wants=lambda _: bool(1 / 0))
        unwilling = PickyLog("unwilling", wants=lambda call: call.operation is not Operation.SUBSCRIBE)
        wanted, off, mute = PickyLog("wanted"), PickyLog("off"), Plugin("mute")
        service = serving(broken, unwilling, mute, off, wanted, routing={"off": {"enabled": False}})
        subscription = service.subscribe(
            meta(turn=1), ear.handle, cursor_store=MemoryCursorStore(), on_error=ear.on_error
        )
        assert subscription.plugin_ids == ["wanted"]
        assert wanted.calls == [Call(Operation.SUBSCRIBE, meta(turn=1))]
        [(plugin_id, error)] = ear.errors
        assert (plugin_id, str(error)) == ("broken", "its filter failed: division by zero")
        await until(lambda: wanted.opened)
        await soon(subscription.unsubscribe())
        assert broken.opened == unwilling.opened == off.opened == []

    loops.run(scene())


def test_a_plugin_that_comes_later_joins_and_one_that_goes_is_followed_no_more() -> None:
    async def scene() -> None:
        service, ear, store = serving(), Ear(), MemoryCursorStore({"early": "0", "late": "0"})
        early, late = Log("early"), Log("late")
        subscription = service.subscribe(meta(), ear.handle, cursor_store=store)
        assert subscription.plugin_ids == []
        row = await asyncio.to_thread(service.registry.register, early)  # as an app that is loaded in a thread
        early.tell("a")
        await ear.hears("a")

        await asyncio.to_thread(row.dispose)
        await until(lambda: early.closed)
        early.tell("unheard")
        service.registry.register(late)
        late.tell("b")
        await ear.hears("a", "b")
        assert (subscription.plugin_ids, subscription.is_closed) == (["late"], False)
        await soon(subscription.unsubscribe())
        assert store.cursors == {"early": "1", "late": "1"}

    loops.run(scene())


def test_a_plugin_that_is_registered_anew_goes_on_where_the_old_one_was() -> None:
    async def scene() -> None:
        old, new, ear = Log("notes"), Log("notes"), Ear()
        service = serving(old)
        store = MemoryCursorStore({"notes": "0"})
        subscription = service.subscribe(meta(), ear.handle, cursor_store=store)
        old.tell("a")
        await ear.hears("a")
        service.registry.rows()[0].dispose()
        new.tell("a", "b")
        service.registry.register(new)
        await ear.hears("a", "b")
        assert (old.closed, new.opened, subscription.plugin_ids) == (1, ["1"], ["notes"])
        await soon(subscription.unsubscribe())

    loops.run(scene())


def test_a_subscription_outlives_the_last_plugin_that_goes() -> None:
    async def scene() -> None:
        service, ear = serving(Log("notes")), Ear()
        subscription = service.subscribe(meta(), ear.handle, cursor_store=MemoryCursorStore({"notes": "0"}))
        service.registry.rows()[0].dispose()
        await until(lambda: not subscription.plugin_ids)
        again = Log("notes")
        again.tell("a")
        service.registry.register(again)
        await ear.hears("a")
        await soon(subscription.unsubscribe())

    loops.run(scene())


@pytest.mark.parametrize("request_", [{}, {"meta": {"source": {"type": "x", "id": ""}, "scope": "s"}}])
def test_a_bad_request_is_refused_at_once(request_: dict[str, Any]) -> None:
    async def scene() -> None:
        with pytest.raises(BadRequest):
            serving().subscribe(request_, Ear().handle, cursor_store=MemoryCursorStore())

    loops.run(scene())
