"""Ending a subscription: what runs ends first and is remembered, and nobody can hold it up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from memory.service import workers
from memory.service.cursors import MemoryCursorStore
from memory.service.errors import MemorySubscriptionError
from memory.service.subscriptions import Subscription
from memory.service.types import MemoryChange, Meta
from tests import loops
from tests.memory.service.parts import Ear, Log, Opened, Store, meta, serving, soon, until


def test_unsubscribing_any_number_of_times_closes_the_feed_once() -> None:
    async def scene() -> None:
        log = Log("notes")
        subscription = serving(log).subscribe(meta(), Ear().handle, cursor_store=MemoryCursorStore())
        await until(lambda: log.opened)
        await soon(asyncio.gather(*(subscription.unsubscribe() for _ in range(3)), subscription.closed()))
        await soon(subscription.unsubscribe())
        assert (subscription.is_closed, subscription.plugin_ids, log.closed) == (True, [], 1)

    loops.run(scene())


def test_unsubscribing_before_anything_began_opens_nothing() -> None:
    async def scene() -> None:
        log = Log("notes")
        subscription = serving(log).subscribe(meta(), Ear().handle, cursor_store=MemoryCursorStore())
        await soon(subscription.unsubscribe())
        assert log.opened == []
        assert subscription.failures == []

    loops.run(scene())


def test_a_running_handler_ends_first_and_its_cursor_is_saved() -> None:
    async def scene() -> None:
        log, store, ear = Log("notes"), Store({"notes": "0"}), Ear()
        may_end, is_running = asyncio.Event(), asyncio.Event()

        async def handle(change: MemoryChange) -> None:
            is_running.set()
            await may_end.wait()
            await ear.handle(change)

        log.tell("a", "b")
        subscription = serving(log).subscribe(meta(), handle, cursor_store=store)
        await soon(is_running.wait())
        ending = asyncio.create_task(subscription.unsubscribe())
        await asyncio.sleep(0)
        assert not subscription.is_closed
        may_end.set()
        await soon(ending)
        assert (ear.heard, store.cursors) == (["a"], {"notes": "1"})
        again = serving(log).subscribe(meta(), ear.handle, cursor_store=store)
        await ear.hears("a", "b")
        await soon(again.unsubscribe())

    loops.run(scene())


def test_a_handler_may_unsubscribe() -> None:
    async def scene() -> None:
        log, store, ear = Log("notes"), Store({"notes": "0"}), Ear()

        async def handle(change: MemoryChange) -> None:
            await subscription.unsubscribe()
            await asyncio.gather(subscription.unsubscribe())  # in a task of its own, which the handler waits for
            await ear.handle(change)

        log.tell("a", "b")
        subscription: Subscription = serving(log).subscribe(meta(), handle, cursor_store=store)
        await soon(subscription.closed())
        assert (ear.heard, store.cursors) == (["a"], {"notes": "1"})

    loops.run(scene())


def test_a_wait_for_a_retry_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "FIRST_DELAY_S", 3600.0)
    monkeypatch.setattr(workers, "LONGEST_DELAY_S", 3600.0)

    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.fail(MemorySubscriptionError("lost", retryable=True))
        subscription = serving(log).subscribe(
            meta(), ear.handle, cursor_store=MemoryCursorStore(), on_error=ear.on_error
        )
        await until(lambda: ear.errors)
        await soon(subscription.unsubscribe())
        assert len(log.opened) == 1

    loops.run(scene())


class Clinging(Log):
    """A plugin that does not let go: it waits on whatever it is told."""

    async def cling(self) -> None:
        while not self.is_ended:
            try:
                await self.wait()
            except asyncio.CancelledError:
                continue


class ClingingAtTheEnd(Clinging):
    @asynccontextmanager
    async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[Opened]:
        self.opened.append(after)
        try:
            yield Opened(self, "0")
        finally:
            await self.cling()


class ClingingInBetween(Clinging):
    @asynccontextmanager
    async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[Opened]:
        self.opened.append(after)
        await self.cling()
        yield Opened(self, "0")


@pytest.mark.parametrize("kind", [ClingingAtTheEnd, ClingingInBetween])
def test_a_plugin_that_does_not_let_go_is_left_behind(kind: type[Clinging], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "CLOSING_S", 0.02)
    monkeypatch.setattr(workers, "GRACE_S", 0.02)

    async def scene() -> None:
        clinging, sound, ear = kind("clinging"), Log("sound"), Ear()
        subscription = serving(clinging, sound).subscribe(meta(), ear.handle, cursor_store=MemoryCursorStore())
        await until(lambda: clinging.opened and sound.opened)
        await soon(subscription.unsubscribe())
        assert (subscription.is_closed, sound.closed) == (True, 1)
        clinging.end()  # or the loop could not end

    loops.run(scene())


def test_a_plugin_that_fails_to_close_is_told_of() -> None:
    class Failing(Log):
        @asynccontextmanager
        async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[Opened]:
            yield Opened(self, "0")
            raise ValueError("the socket was gone already")

    async def scene() -> None:
        log, ear = Failing("notes"), Ear()
        log.end()
        subscription = serving(log).subscribe(
            meta(), ear.handle, cursor_store=MemoryCursorStore(), on_error=ear.on_error
        )
        await soon(subscription.closed())
        assert [str(error) for _, error in ear.errors] == ["the socket was gone already"]

    loops.run(scene())
