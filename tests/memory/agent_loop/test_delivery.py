"""Deliveries of a loop's updates to plugins that fail, hang, refuse, and come back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.agent_loop import delivery, queue
from memory.models import Capture, LoopUpdate, Project, UpdateReceipt
from memory.models.service import LoopState
from memory.plugins.journal.plugin import JournalPlugin
from memory.service.service import MemoryService
from memory.service.types import Request
from memory.service.values import Json
from tests import loops
from tests.memory.agent_loop.seen import aside, created, data, ended, turn
from tests.memory.service.parts import Picky, Plugin, serving, soon, until

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


def take(*sessions: str) -> None:
    for number, session in enumerate(sessions):
        assert queue.take(created(session), request_id=f"r{number}", at=NOW)


def deliver(service: MemoryService, *, make_due: bool = True) -> int:
    """Deliver everything that is due, pauses left out; return how many tries that were."""

    async def work() -> int:
        count = 0
        while await delivery.step(service):
            count += 1
            if make_due:
                await aside.do(LoopUpdate.objects.update, next_attempt_at=NOW)
        return count

    return loops.run(work())


def failing(*times: str) -> Callable[[Request], Awaitable[Json]]:
    """Return work that fails with these words, one after the other, and then does not."""
    left = list(times)

    async def work(_: Request) -> Json:
        if left:
            raise RuntimeError(left.pop(0))
        return "taken"

    return work


def test_plugins_get_what_was_seen_in_the_order_of_the_session(harbor: Project) -> None:
    queue.take(ended(1), at=NOW)
    queue.take(created(), request_id="r1", at=NOW)
    queue.take(ended(2, first=4), at=NOW)
    plugin = Plugin("notes")

    assert deliver(serving(plugin)) == 3
    assert [request.data for request in plugin.requests] == [turn(1), data(), turn(2, first=4)]
    assert {state for (state,) in LoopUpdate.objects.values_list("state")} == {LoopState.DONE}


def test_only_the_plugin_that_failed_is_told_again() -> None:
    take("s1")
    first, broken, last = Plugin("first"), Plugin("broken", failing("no disk", "no disk yet")), Plugin("last")

    assert deliver(serving(first, broken, last)) == 3
    assert [len(one.requests) for one in (first, broken, last)] == [1, 3, 1]
    row = LoopUpdate.objects.get()
    assert (row.state, row.attempts, row.error) == (LoopState.DONE, 2, "")
    assert [one["ok"] for one in row.outcomes] == [True, True, True]
    assert len({request.meta.request_id for request in broken.requests}) == 1


def test_a_plugin_that_stays_broken_is_given_up_and_the_session_goes_on() -> None:
    take("s1", "s1")
    broken = Plugin("broken", failing(*["no disk"] * 2 * (len(queue.PAUSES) + 1)))
    notes = Plugin("notes")

    deliver(serving(broken, notes))

    rows = LoopUpdate.objects.order_by("pk")
    assert [(row.state, row.error) for row in rows] == [(LoopState.FAILED, "broken: no disk")] * 2
    assert len(notes.requests) == 2


def test_a_pause_is_kept() -> None:
    take("s1")

    assert deliver(serving(Plugin("broken", failing("no disk"))), make_due=False) == 1
    assert LoopUpdate.objects.get().next_attempt_at > NOW + queue.PAUSES[0] - timedelta(seconds=1)


def test_a_plugin_that_hangs_holds_up_its_own_session_only() -> None:
    take("slow", "quick", "slow", "quick")
    released = asyncio.Event()

    async def work(request: Request) -> Json:
        if request.meta.attributes["sessionId"] == "slow":
            await released.wait()
        return None

    async def scene() -> None:
        plugin = Plugin("notes", work)
        worker = asyncio.create_task(delivery.work(serving(plugin)))
        await until(lambda: len(plugin.requests) == 3)
        assert await aside.do(queue.flush, "quick", within=60)
        assert not await aside.do(queue.flush, "slow", within=0)
        released.set()
        assert await aside.do(queue.flush, "slow", within=60)
        worker.cancel()

    loops.run(soon(scene()))


def test_a_plugin_that_never_answers_fails_at_its_deadline() -> None:
    take("s1")
    waits = asyncio.Event()

    async def hang(_: Request) -> Json:
        await waits.wait()
        return None

    deliver(serving(Plugin("slow", hang), update_timeout=0.01), make_due=False)

    assert LoopUpdate.objects.get().error == "slow: memory plugin slow did not update within 10 ms"


def test_where_nobody_wants_it_it_is_done() -> None:
    take("s1")

    assert deliver(serving(Picky("picky", wants=lambda _: False))) == 1
    assert LoopUpdate.objects.get().state == LoopState.DONE


def test_what_the_service_refuses_is_given_up() -> None:
    take("s1")
    LoopUpdate.objects.update(meta={"source": "nobody"})

    assert deliver(serving(Plugin("notes"))) == 1
    row = LoopUpdate.objects.get()
    assert (row.state, row.error) == (LoopState.FAILED, "meta.source is no object")


def test_what_is_worked_on_elsewhere_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.service.receipts.PATIENCE_S", 0)
    take("s1")
    plugin = Plugin("notes")
    service = serving(plugin)
    row = LoopUpdate.objects.get()
    deliver(service)
    LoopUpdate.objects.update(state=LoopState.QUEUED, data=row.data)
    UpdateReceipt.objects.update(claimed_by="1-elsewhere", claimed_until=NOW + timedelta(hours=1))

    assert deliver(service, make_due=False) == 1
    row.refresh_from_db()
    assert (row.state, row.attempts) == (LoopState.QUEUED, 0)
    assert "being worked on elsewhere" in row.error


def test_the_journal_captures_a_turn_once_whatever_came_first(harbor: Project) -> None:
    """The connector delivers turns as events, too; the journal then says that it has them, and writes nothing."""
    from memory.capture import accept, document
    from tests.memory.capture.events import dsh_document

    told = dsh_document(harbor.root, turn(1)["events"], next_seq=4)
    accept.accept(document.parse(told), at=NOW)
    before = list(Capture.objects.values())
    queue.take(ended(1), at=NOW)
    queue.take(ended(2, first=4), at=NOW)

    deliver(serving(JournalPlugin()))

    assert list(Capture.objects.values())[:1] == before
    assert list(Capture.objects.order_by("pk").values_list("turn", flat=True)) == ["1", "2"]
    assert {state for (state,) in LoopUpdate.objects.values_list("state")} == {LoopState.DONE}


def test_the_worker_takes_up_what_a_dead_one_held() -> None:
    take("s1")
    queue.claim(worker="this-machine/1", at=NOW)
    LoopUpdate.objects.update(claimed_at=NOW - queue.LEASE * 2)
    plugin = Plugin("notes")

    async def scene() -> None:
        worker: asyncio.Task[Any] = asyncio.create_task(delivery.work(serving(plugin)))
        assert await aside.do(queue.flush, "s1", within=60)
        worker.cancel()

    loops.run(soon(scene()))
    assert len(plugin.requests) == 1
