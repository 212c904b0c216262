"""Where consumers keep how far they are."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.models import SubscriptionCursor
from memory.service import workers
from memory.service.cursors import CursorStore, DatabaseCursorStore, MemoryCursorStore
from memory.service.desk import books
from memory.service.errors import BadRequest, LeaseLost
from tests import loops
from tests.memory.service.parts import Ear, Log, meta, serving, soon, until

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip)

database = pytest.mark.django_db(transaction=True)


def store(
    owner: str = "one", *, consumer: str = "index", key: str = "changes", scope: str = "repo:a"
) -> DatabaseCursorStore:
    return DatabaseCursorStore(consumer, key, scope, owner=owner)


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, NAMES), min_size=2, max_size=2, unique=True))
def test_no_two_spellings_share_a_cursor(names: list[tuple[str, str, str, str]]) -> None:
    [one, other] = [DatabaseCursorStore(*own[:3]).key(own[3]) for own in names]

    assert one != other


@pytest.mark.parametrize(
    ("one", "other"), [(("a", "b:c"), ("a:b", "c")), (("a", " b"), ("a", "b")), (('a","b', "c"), ("a", 'b","c'))]
)
def test_names_that_look_alike_together_differ(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert store(consumer=one[0], key=one[1]).key("p") != store(consumer=other[0], key=other[1]).key("p")


@pytest.mark.parametrize("name", ["consumer_id", "subscription_key", "scope"])
@pytest.mark.parametrize("value", ["", " \t\n", "\0", "\ud800"])
def test_a_name_that_says_nothing_is_refused_by_its_field(name: str, value: str) -> None:
    names = {"consumer_id": "a", "subscription_key": "b", "scope": "c"} | {name: value}

    with pytest.raises(BadRequest, match=f"^{name} "):
        DatabaseCursorStore(**names)


@pytest.mark.parametrize("is_durable", [True, False])
@database
def test_a_cursor_is_kept_until_it_is_deleted(*, is_durable: bool) -> None:
    kept: CursorStore = store() if is_durable else MemoryCursorStore()

    async def scene() -> None:
        assert await kept.load("notes") is None
        await kept.save("notes", "7")
        await kept.save("notes", " 8 ")
        assert (await kept.load("notes"), await kept.load("other")) == (" 8 ", None)
        await kept.delete("notes")
        await kept.delete("notes")
        assert await kept.load("notes") is None

    loops.run(scene())


@database
def test_cursors_are_apart_by_consumer_key_scope_and_plugin() -> None:
    stores = [
        store(),
        store(consumer="other"),
        store(key="other"),
        store(scope=" repo:a "),
        store(scope="repo:a" * 100),
    ]

    async def scene() -> None:
        for number, one in enumerate(stores):
            for plugin_id in ("a", "b" * 200):
                await one.save(plugin_id, f"{number}{plugin_id[:1]}")
        told = [await one.load(plugin_id) for one in stores for plugin_id in ("a", "b" * 200)]
        assert told == [f"{number}{plugin}" for number in range(5) for plugin in "ab"]

    loops.run(scene())


@database
def test_names_longer_than_their_columns_are_kept_apart() -> None:
    async def scene() -> None:
        long, longer = store(consumer="x" * 300), store(consumer="x" * 301)
        await long.save("notes", "1")
        await longer.save("notes", "2")
        assert (await long.load("notes"), await longer.load("notes")) == ("1", "2")

    loops.run(scene())


@database
def test_a_lease_is_held_by_one_process_until_it_lets_go() -> None:
    one, other = store("one"), store("other")

    async def scene() -> None:
        assert await one.acquire("notes")
        assert await one.acquire("notes")
        assert not await other.acquire("notes")
        assert await other.acquire("elsewhere")
        await other.release("notes")
        assert not await other.acquire("notes")
        await one.release("notes")
        assert await other.acquire("notes")

    loops.run(scene())


@database
def test_a_lease_that_nobody_renews_goes_to_who_asks_and_the_old_cursor_cannot_come_back() -> None:
    one, other = store("one"), store("other")

    async def scene() -> None:
        await one.acquire("notes")
        await one.save("notes", "5")
        await books.do(SubscriptionCursor.objects.update, lease_until=timezone.now() - timedelta(seconds=1))
        assert await other.acquire("notes")
        assert await other.load("notes") == "5"
        await other.save("notes", "6")
        with pytest.raises(LeaseLost):
            await one.save("notes", "4")
        assert not await one.acquire("notes")
        assert await one.load("notes") == "6"

    loops.run(scene())


@database
def test_a_process_that_comes_back_under_its_name_goes_on_at_once() -> None:
    async def scene() -> None:
        assert await store("this directory").acquire("notes")
        assert await store("this directory").acquire("notes")

    loops.run(scene())


@database
def test_of_two_processes_one_follows_and_the_other_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STANDBY_S", 0.01)

    async def scene() -> None:
        first, second, log = Ear(), Ear(), Log("notes")
        one = serving(log).subscribe(meta(), first.handle, cursor_store=store("one"))
        await until(lambda: log.opened)
        other = serving(log).subscribe(meta(), second.handle, cursor_store=store("other"))
        log.tell("a")
        await first.hears("a")
        await soon(one.unsubscribe())
        log.tell("b")
        await second.hears("b")
        await soon(other.unsubscribe())
        assert (first.heard, await store().load("notes")) == (["a"], "2")
        assert await store("a third").acquire("notes")

    loops.run(scene())


@database
def test_who_loses_the_lease_stops_before_the_next_change_and_waits_for_its_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "STANDBY_S", 0.01)
    monkeypatch.setattr(workers, "FIRST_DELAY_S", 0.01)

    async def scene() -> None:
        ear, log, other = Ear(), Log("notes"), store("other")
        subscription = serving(log).subscribe(meta(), ear.handle, cursor_store=store("one"), on_error=ear.on_error)
        await until(lambda: log.opened)
        await books.do(SubscriptionCursor.objects.update, lease_owner="other")
        log.tell("a")
        await until(lambda: ear.errors)
        assert isinstance(ear.errors[0][1], LeaseLost)
        await other.save("notes", "1")
        await other.release("notes")
        log.tell("b")
        await until(lambda: "b" in ear.heard)
        await soon(subscription.unsubscribe())
        assert await other.load("notes") == "2"

    loops.run(scene())


@database
def test_a_person_can_see_why_a_consumer_stopped_and_that_it_goes_on() -> None:
    async def scene() -> None:
        log, ear = Log("notes"), Ear()
        log.fail(ValueError("a bug\0"))
        stopped = serving(log).subscribe(meta(), ear.handle, cursor_store=store(), on_error=ear.on_error)
        await soon(stopped.closed())
        row = await books.do(SubscriptionCursor.objects.get)
        assert (row.is_stopped, row.last_error, row.failures, row.lease_owner) == (True, "a bug\ufffd", 1, "")
        again = serving(log).subscribe(meta(), ear.handle, cursor_store=store())
        await until(lambda: len(log.opened) == 2)
        row = await books.do(SubscriptionCursor.objects.get)
        assert (row.is_stopped, row.lease_owner, bool(row.last_error_at)) == (False, "one", True)
        log.tell("a")
        await ear.hears("a")
        await soon(again.unsubscribe())
        row = await books.do(SubscriptionCursor.objects.get)
        assert (row.failures, row.cursor) == (0, "1")

    loops.run(scene())


@database
def test_stopping_while_the_lease_is_being_taken_leaves_none_behind() -> None:
    async def scene() -> None:
        for turns in range(12):
            subscription = serving(Log("notes")).subscribe(meta(), Ear().handle, cursor_store=store("one"))
            for _ in range(turns):
                await asyncio.sleep(0)
            await soon(subscription.unsubscribe())
            assert await store("other").acquire("notes"), turns
            await store("other").release("notes")

    loops.run(scene())
