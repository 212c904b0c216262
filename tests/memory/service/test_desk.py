"""Database work in threads of its own."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

import pytest
from django.db import DatabaseError, connection

from memory.service.desk import Desk
from tests import loops
from tests.memory.service.parts import soon

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_thread_works_in_the_order_of_asking() -> None:
    done: list[int] = []

    async def scene() -> None:
        await soon(asyncio.gather(*(desk.do(done.append, number) for number in range(200))))
        assert len({await desk.do(threading.get_ident) for _ in range(5)}) == 1

    desk = Desk("tests")
    loops.run(scene())
    desk.rest()
    assert done == list(range(200))


def test_several_threads_work_at_once_and_no_more() -> None:
    async def scene() -> None:
        meeting = threading.Barrier(3)
        await soon(asyncio.gather(*(desk.do(meeting.wait) for _ in range(6))))
        names = await asyncio.gather(*(desk.do(threading.get_ident) for _ in range(50)))
        assert len(set(names)) <= 3

    desk = Desk("tests", threads=3)
    loops.run(scene())
    desk.rest()


def test_an_error_goes_to_who_asked_and_the_next_one_has_a_sound_connection() -> None:
    def fail() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM nowhere")

    def work() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return int(cursor.fetchone()[0])

    async def scene() -> None:
        with pytest.raises(DatabaseError):
            await desk.do(fail)
        assert await desk.do(work) == 1

    desk = Desk("tests")
    loops.run(scene())
    desk.rest()


def test_what_nobody_waits_for_any_more_is_left_out() -> None:
    done: list[str] = []

    async def scene() -> None:
        may_go = threading.Event()
        first = asyncio.create_task(desk.do(may_go.wait))
        await asyncio.sleep(0)
        second = asyncio.create_task(desk.do(done.append, "second"))
        await asyncio.sleep(0)
        second.cancel()
        with suppress(asyncio.CancelledError):
            await second
        may_go.set()
        await soon(first)
        await desk.do(done.append, "third")

    desk = Desk("tests")
    loops.run(scene())
    desk.rest()
    assert done == ["third"]


def test_a_desk_works_again_after_a_rest() -> None:
    async def scene() -> None:
        await desk.do(done.append, 1)

    desk, done = Desk("tests"), list[int]()
    for _ in range(3):
        loops.run(scene())
        desk.rest()
    assert done == [1, 1, 1]
