"""Updates with a request id: each plugin does them once."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from memory.models import UpdateReceipt
from memory.service import receipts
from memory.service.desk import books
from memory.service.errors import RequestBusy, RequestConflict
from memory.service.types import Request
from memory.service.values import Json
from tests import loops
from tests.memory.service.parts import Plugin, asked, serving, soon, until

pytestmark = pytest.mark.django_db(transaction=True)


def update(data: Json = None, request_id: str = "r1") -> dict[str, Any]:
    request = asked(data)
    request["meta"]["requestId"] = request_id
    return request


def test_only_what_failed_is_done_again() -> None:
    fails = [True]

    async def shaky(request: Request) -> Json:
        if fails:
            raise ValueError("not now")
        return "second time"

    async def scene() -> None:
        steady, second = Plugin("steady"), Plugin("shaky", shaky)
        service = serving(second, steady)
        first = await service.update(update())
        assert [one.is_ok for one in first] == [False, True]
        fails.clear()
        for _ in range(2):
            outcomes = await service.update(update())
            told = [(one.plugin_id, one.as_json().get("value")) for one in outcomes]
            assert told == [("shaky", "second time"), ("steady", "steady")]
        assert (len(steady.requests), len(second.requests)) == (1, 2)

    loops.run(scene())


def test_another_request_id_source_or_scope_is_another_update() -> None:
    async def scene() -> None:
        plugin = Plugin("notes")
        service = serving(plugin)
        elsewhere = update()
        elsewhere["meta"]["scope"] = "/work/other"
        somebody = update()
        somebody["meta"]["source"]["id"] = "somebody"
        for one in (update(), update(request_id="r2"), elsewhere, somebody, update()):
            await service.update(one)
        assert len(plugin.requests) == 4

    loops.run(scene())


def test_the_same_id_for_other_data_is_a_conflict_and_stays_usable() -> None:
    async def scene() -> None:
        plugin = Plugin("notes")
        service = serving(plugin)
        await service.update(update("one"))
        with pytest.raises(RequestConflict):
            await service.update(update("other"))
        await service.update(update("one"))
        assert [request.data for request in plugin.requests] == ["one"]

    loops.run(scene())


def test_an_answer_comes_back_as_it_was() -> None:
    answer: Json = {"text": "nothing \0 at all", "half": [0, False, None, 0.5, {"é": "𝄞"}]}

    async def odd(_request: Request) -> Json:
        return answer

    async def scene() -> None:
        service = serving(Plugin("odd", odd))
        for _ in range(2):
            [outcome] = await service.update(update())
            assert outcome.as_json()["value"] == answer

    loops.run(scene())


def test_two_at_once_are_one() -> None:
    may_end = asyncio.Event()

    async def slow(_request: Request) -> Json:
        await may_end.wait()
        return "done"

    async def scene() -> None:
        plugin = Plugin("slow", slow)
        service = serving(plugin)
        one = asyncio.create_task(service.update(update()))
        await until(lambda: plugin.requests)
        other = asyncio.create_task(service.update(update()))
        may_end.set()
        told = [outcome.as_json()["value"] for call in (one, other) for outcome in await soon(call)]
        assert (told, len(plugin.requests)) == (["done", "done"], 1)

    loops.run(scene())


def test_who_waits_too_long_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipts, "PATIENCE_S", 0.0)
    may_end = asyncio.Event()

    async def slow(_request: Request) -> Json:
        await may_end.wait()
        return "done"

    async def scene() -> None:
        plugin = Plugin("slow", slow)
        service = serving(plugin)
        one = asyncio.create_task(service.update(update()))
        await until(lambda: plugin.requests)
        with pytest.raises(RequestBusy):
            await service.update(update())
        may_end.set()
        await soon(one)

    loops.run(scene())


def test_what_succeeded_before_the_caller_gave_up_is_not_done_again() -> None:
    async def hanging(_request: Request) -> Json:
        return await asyncio.Event().wait()

    async def scene() -> None:
        quick, slow = Plugin("quick"), Plugin("slow", hanging)
        service = serving(quick, slow)
        call = asyncio.create_task(service.update(update()))
        await until(lambda: slow.requests and quick.requests)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await soon(call)
        slow.work = None
        outcomes = await soon(service.update(update()))
        assert [one.as_json()["value"] for one in outcomes] == ["quick", "slow"]
        assert (len(quick.requests), len(slow.requests)) == (1, 2)

    loops.run(scene())


def test_a_request_is_held_as_long_as_its_plugins_may_take_and_no_longer() -> None:
    async def scene() -> None:
        may_end = asyncio.Event()

        async def slow(_request: Request) -> Json:
            await may_end.wait()
            return None

        plugin = Plugin("slow", slow)
        service = serving(plugin, update_timeout=600)
        call = asyncio.create_task(service.update(update()))
        await until(lambda: plugin.requests)
        row = await books.do(UpdateReceipt.objects.get)
        assert row.claimed_until
        assert row.claimed_until - timezone.now() > timedelta(seconds=600)
        # As after a crash: nobody lets go, and the time is over.
        await books.do(UpdateReceipt.objects.update, claimed_by="dead", claimed_until=timezone.now())
        may_end.set()
        await soon(service.update(update()))
        await soon(call)
        assert len(plugin.requests) == 2

    loops.run(scene())


def test_receipts_are_forgotten_after_a_day() -> None:
    async def scene() -> None:
        await serving(Plugin("notes")).update(update())

    loops.run(scene())
    assert receipts.trim(at=timezone.now()) == 0
    assert receipts.trim(at=timezone.now() + timedelta(hours=25)) == 1
    assert not UpdateReceipt.objects.exists()


def test_a_plugin_that_blocks_the_thread_that_all_share_holds_up_nobody_else() -> None:
    may_end = threading.Event()

    async def blocking(_request: Request) -> Json:
        await sync_to_async(may_end.wait)()
        return None

    async def scene() -> None:
        routing = {"blocking": {"update_timeout": 0.05}}
        service = serving(Plugin("blocking", blocking), Plugin("steady"), routing=routing)
        blocked, steady = await soon(service.update(update()))
        assert (blocked.as_json().get("code"), steady.is_ok) == ("timeout", True)
        assert (await books.do(UpdateReceipt.objects.get)).outcomes == {"steady": '"steady"'}
        may_end.set()

    loops.run(scene())
