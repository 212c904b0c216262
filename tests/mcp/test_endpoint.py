"""`/mcp` without a web server: what event loops and cancelled requests do to it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import httpx
import pytest
from django.utils.timezone import now

from memory.api import tokens
from memory.audit import COMMAND
from memory.models.token import Scope
from tests import loops

pytestmark = pytest.mark.django_db(transaction=True)

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
SEARCH = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mem_stats", "arguments": {}}}


@pytest.fixture
def token() -> str:
    return tokens.create(name="agent", scope=Scope.READ, actor=COMMAND, at=now())[1]


def _client(token: str) -> httpx.AsyncClient:
    from memsite.asgi import application

    transport = httpx.ASGITransport(application)
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


def _run(scene: Coroutine[Any, Any, list[int]]) -> list[int]:
    return loops.run(asyncio.wait_for(scene, 60))


async def _pings(token: str, count: int) -> list[int]:
    async with _client(token) as client:
        responses = await asyncio.gather(*(client.post("/mcp", json=PING) for _ in range(count)))
        return [response.status_code for response in responses]


def test_any_event_loop_will_do(token: str) -> None:
    assert [_run(_pings(token, 3)) for _ in range(3)] == [[200] * 3] * 3


def test_cancelled_requests_leave_nothing_behind(token: str) -> None:
    async def scene() -> list[int]:
        before = len(asyncio.all_tasks())
        async with _client(token) as client:
            for wait in (0, 0.001, 0.005, 0.01, 0.02, 0.05):
                request = asyncio.create_task(client.post("/mcp", json=SEARCH))
                await asyncio.sleep(wait)
                request.cancel()
                await asyncio.wait([request])
        assert len(asyncio.all_tasks()) == before
        return await _pings(token, 3)

    assert _run(scene()) == [200] * 3
