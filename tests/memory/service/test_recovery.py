"""What happens when following a plugin breaks: told, tried again where that may help, and never silent."""

from __future__ import annotations

import asyncio
import random
from typing import Any, cast

import pytest
from django.db import OperationalError
from hypothesis import given
from hypothesis import strategies as st

from memory.service import workers
from memory.service.cursors import MemoryCursorStore
from memory.service.errors import MemorySubscriptionError
from memory.service.plugins import PluginChange
from memory.service.subscriptions import Subscription, WorkerFailure
from memory.service.types import MemoryChange
from tests import loops
from tests.memory.service.parts import Ear, Log, Store, meta, serving, soon, until


def lost(text: str = "connection lost") -> MemorySubscriptionError:
    return MemorySubscriptionError(text, retryable=True)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many failures without progress there were before each retry, which comes at once."""
    seen: list[int] = []

    def note(failures: int, jitter: float) -> float:
        seen.append(failures)
        return 0.0

    monkeypatch.setattr(workers, "delay", note)
    return seen


def follow(log: Log, ear: Ear, store: Store | MemoryCursorStore | None = None) -> Subscription:
    kept = store or MemoryCursorStore({log.id: "0"})
    return serving(log).subscribe(meta(), ear.handle, cursor_store=kept, on_error=ear.on_error)


@given(st.integers(0, 10**6), st.floats(0, 1))
def test_retries_wait_longer_and_longer_up_to_half_a_minute(failures: int, jitter: float) -> None:
    seconds = workers.delay(failures, jitter)

    base = min(30.0, 0.25 * 2 ** min(failures, 16))
    assert base <= seconds <= base + min(base, 1.0)
    assert [workers.delay(count) for count in (0, 1, 2, 7, 8)] == [0.25, 0.5, 1, 30, 30]


def test_a_lost_connection_is_opened_again_from_the_last_durable_cursor(waits: list[int]) -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.tell("a", "b")
        log.fail(lost("first"), lost("second"))
        subscription = follow(log, ear)
        await until(lambda: len(log.opened) == 3)
        assert [(str(error), error.retryable) for _, error in ear.errors] == [("first", True), ("second", True)]
        log.tell("c")
        await ear.hears("a", "b", "c")
        log.fail(lost("third"))
        await until(lambda: len(log.opened) == 4)
        await soon(subscription.unsubscribe())
        assert log.opened == ["0", "2", "2", "3"]
        assert log.closed == 4
        assert subscription.failures == []

    loops.run(scene())
    assert waits == [0, 1, 0], "the wait is short again after progress, and only then"


@pytest.mark.parametrize(
    ("error", "flags"),
    [
        (ValueError("a bug"), (False, False)),
        (MemorySubscriptionError("gone for good"), (False, False)),
        (MemorySubscriptionError("cut", reset_required=True), (False, True)),
        (MemorySubscriptionError("cut", reset_required=True, retryable=True), (True, True)),
    ],
)
def test_everything_else_ends_that_plugins_worker_visibly(error: Exception, flags: tuple[bool, bool]) -> None:
    async def scene() -> None:
        log, ear, store = Log("notes"), Ear(), MemoryCursorStore({"notes": "0"})
        log.tell("a")
        log.fail(error)
        subscription = follow(log, ear, store)
        await soon(subscription.closed())
        assert subscription.failures == [WorkerFailure("notes", str(error), *flags)]
        assert [(one, str(told)) for one, told in ear.errors] == [("notes", str(error))]
        assert (log.opened, subscription.plugin_ids, store.cursors) == (["0"], [], {"notes": "1"})

    loops.run(scene())


def test_a_cursor_that_the_plugin_forgot_is_kept_for_the_consumer_to_delete() -> None:
    async def scene() -> None:
        log, ear, store = Log("notes"), Ear(), MemoryCursorStore({"notes": "7"})
        subscription = follow(log, ear, store)
        await soon(subscription.closed())
        assert subscription.failures[0].reset_required
        assert store.cursors == {"notes": "7"}
        await store.delete("notes")
        again = follow(log, ear, store)
        await until(lambda: store.cursors == {"notes": "0"})
        await soon(again.unsubscribe())

    loops.run(scene())


def test_a_feed_that_ends_is_told_and_closes_the_subscription() -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.tell("a")
        log.end()
        subscription = follow(log, ear)
        await soon(subscription.closed())
        assert ear.heard == ["a"]
        assert subscription.failures == [WorkerFailure("notes", "the plugin ended its feed")]
        assert (log.opened, log.closed) == (["0"], 1)

    loops.run(scene())


def test_a_broken_plugin_leaves_the_others_alone() -> None:
    async def scene() -> None:
        ear, broken, sound = Ear(), Log("broken"), Log("sound")
        broken.fail(ValueError("no"))
        store = MemoryCursorStore({"broken": "0", "sound": "0"})
        subscription = serving(broken, sound).subscribe(meta(), ear.handle, cursor_store=store, on_error=ear.on_error)
        await until(lambda: subscription.failures)
        sound.tell("a")
        await ear.hears("a")
        assert (subscription.plugin_ids, subscription.is_closed) == (["sound"], False)
        await soon(subscription.unsubscribe())

    loops.run(scene())


@pytest.mark.parametrize("is_retryable", [True, False])
def test_a_handler_that_fails_gets_the_change_again_or_stops(waits: list[int], *, is_retryable: bool) -> None:
    async def scene() -> None:
        log, ear, store = Log("notes"), Ear(), MemoryCursorStore({"notes": "0"})
        errors: list[Exception] = [lost() if is_retryable else OSError("disk full")]

        async def handle(change: MemoryChange) -> None:
            if errors and change.memory_id == "b":
                raise errors.pop()
            await ear.handle(change)

        log.tell("a", "b", "c")
        subscription = serving(log).subscribe(meta(), handle, cursor_store=store, on_error=ear.on_error)
        if is_retryable:
            await ear.hears("a", "b", "c")
            await soon(subscription.unsubscribe())
        else:
            await soon(subscription.closed())
            assert subscription.failures == [WorkerFailure("notes", "disk full")]
        assert store.cursors == {"notes": "3" if is_retryable else "1"}

    loops.run(scene())


def test_a_busy_database_is_worth_another_try(waits: list[int]) -> None:
    async def scene() -> None:
        busy = OperationalError("database is locked")
        log, ear, store = Log("notes"), Ear(), Store({"notes": "0"}, trouble={"1": busy})
        log.tell("a", "b")
        subscription = follow(log, ear, store)
        await ear.hears("a", "a", "b")
        await soon(subscription.unsubscribe())
        assert [(str(error), error.retryable) for _, error in ear.errors] == [("database is locked", True)]

    loops.run(scene())


def test_a_cursor_that_cannot_be_saved_is_no_progress(waits: list[int]) -> None:
    async def scene() -> None:
        log, ear, store = Log("notes"), Ear(), Store({"notes": "0"}, trouble={"2": lost("database is locked")})
        log.tell("a", "b")
        subscription = follow(log, ear, store)
        await ear.hears("a", "b", "b")
        await soon(subscription.unsubscribe())
        assert [str(error) for _, error in ear.errors] == ["database is locked"]
        assert store.cursors == {"notes": "2"}

    loops.run(scene())


def test_a_connection_that_is_lost_while_its_beginning_is_saved_is_not_forgotten(waits: list[int]) -> None:
    class Slow(Store):
        async def save(self, plugin_id: str, cursor: str) -> None:
            log.fail(lost())
            await super().save(plugin_id, cursor)

    async def scene() -> None:
        ear = Ear()
        subscription = follow(log, ear, Slow())
        await until(lambda: len(log.opened) == 2)
        await soon(subscription.unsubscribe())
        assert [str(error) for _, error in ear.errors] == ["connection lost"]
        assert log.opened == [None, "0"]

    log = Log("notes")
    loops.run(scene())


BAD: list[Any] = [PluginChange(""), PluginChange(cast("str", 7), "m"), "no change", PluginChange("1", "m", {"a": {1}})]  # type: ignore[dict-item]


@pytest.mark.parametrize("change", BAD)
def test_what_is_no_change_ends_the_worker_and_reaches_nobody(change: PluginChange) -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.changes.append(change)
        subscription = follow(log, ear)
        await soon(subscription.closed())
        assert (ear.heard, len(subscription.failures)) == ([], 1)

    loops.run(scene())


def test_a_plugin_that_cancels_itself_does_not_die_silently() -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.fail(asyncio.CancelledError())  # type: ignore[arg-type]
        subscription = follow(log, ear)
        await soon(subscription.closed())
        assert subscription.failures == [WorkerFailure("notes", "it was cancelled from inside")]

    loops.run(scene())


def test_an_error_handler_that_fails_changes_nothing(waits: list[int]) -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.fail(lost())
        subscription = serving(log).subscribe(
            meta(),
            ear.handle,
            cursor_store=MemoryCursorStore({"notes": "0"}),
            on_error=lambda *_: 1 / 0,  # type: ignore[arg-type]
        )
        await until(lambda: len(log.opened) == 2)
        log.tell("a")
        await ear.hears("a")
        await soon(subscription.unsubscribe())

    loops.run(scene())


def test_whatever_breaks_each_change_is_handled_in_order_and_none_is_missed(waits: list[int]) -> None:
    """Twenty lives of one consumer, in which plugin, handler and store fail at seeded points."""
    chance = random.Random(20260524)
    log, store, ear = Log("notes"), Store({"notes": "0"}), Ear()
    log.tell(*(f"m{number}" for number in range(1, 201)))

    async def handle(change: MemoryChange) -> None:
        await ear.handle(change)
        if chance.random() < 0.05:
            raise lost("the handler failed after its effect")

    async def life() -> None:
        store.trouble = {str(chance.randrange(1, 201)): lost("the store failed") for _ in range(5)}
        until_here = min(200, int(store.cursors["notes"]) + chance.randrange(5, 25))
        subscription = serving(log).subscribe(meta(), handle, cursor_store=store, on_error=ear.on_error)
        await until(lambda: int(store.cursors["notes"]) >= until_here)
        await soon(subscription.unsubscribe())

    for _ in range(20):
        loops.run(life())
        assert f"m{store.cursors['notes']}" in ear.heard, "a cursor never runs ahead of what was done"
    loops.run(life())
    while store.cursors["notes"] != "200":
        loops.run(life())
    assert list(dict.fromkeys(ear.heard)) == [f"m{number}" for number in range(1, 201)]
