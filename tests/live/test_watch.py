from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from django.db import connection

from memory.api.shapes import ChangeJson
from memory.feed import feed, reader
from memory.feed.reading import in_thread
from tests.live.scenes import PATIENCE_S, append_now, run
from tests.live.servers import write

pytestmark = pytest.mark.django_db(transaction=True)


async def _ref(batches: AsyncGenerator[list[ChangeJson]]) -> str:
    async with asyncio.timeout(PATIENCE_S):
        (change,) = await anext(batches)
    return change["ref"]


def test_hears_another_process_before_the_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "TICK_S", 2 * PATIENCE_S)
    append_now("entry:1")

    async def scene() -> None:
        async with aclosing(feed.current().follow(0)) as batches:
            await _ref(batches)
            await asyncio.to_thread(write, "entry:2")
            assert await _ref(batches) == "entry:2"

    run(scene())


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connection that could drop")
def test_listens_again_after_its_connection_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "TICK_S", 2 * PATIENCE_S)
    append_now("entry:1")

    async def scene() -> None:
        async with aclosing(feed.current().follow(0)) as batches:
            await _ref(batches)
            dropped = await _listener()
            await in_thread(_ask, "SELECT pg_terminate_backend(%s)", dropped)
            assert await _listener(other_than=dropped) != dropped
            await asyncio.to_thread(write, "entry:2")
            assert await _ref(batches) == "entry:2"

    run(scene())


def _ask(question: str, *parameters: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(question, parameters)
        return [row[0] for row in cursor.fetchall()]


async def _listener(other_than: int = 0) -> int:
    """Wait for a connection that listens; return its process id."""
    question = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
    async with asyncio.timeout(PATIENCE_S):
        while True:
            for pid in await in_thread(_ask, question):
                if pid != other_than:
                    return pid
            await asyncio.sleep(0.02)
