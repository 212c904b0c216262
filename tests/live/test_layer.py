"""A channel layer that reaches other machines rings the bell between them."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncGenerator, Iterator, Set
from contextlib import aclosing
from pathlib import Path

import pytest
from pytest_django import Settings

from memory.api.shapes import ChangeJson
from memory.feed import feed, layer, reader, watch
from memsite.layers import channel_layers
from tests.live.scenes import PATIENCE_S, append_now, run
from tests.live.servers import write
from tests.servers import free_port

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not shutil.which("redis-server"), reason="no redis-server on this machine"),
]


class Redis:
    """A throw-away Redis, which can be started again at the same address."""

    def __init__(self, directory: Path) -> None:
        self._port = free_port()
        self._directory = directory
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._start()

    def restart(self) -> None:
        self.stop()
        self._start()

    def stop(self) -> None:
        self._server.terminate()
        self._server.communicate(timeout=PATIENCE_S)

    def listeners(self) -> set[bytes]:
        """Return the channels that listen to the bell."""
        from redis import Redis as Client

        with Client.from_url(self.url) as client:
            return set(client.zrange(f"asgi:group:{layer.GROUP}", 0, -1))

    def _start(self) -> None:
        place = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self._directory)]
        self._server = subprocess.Popen(["redis-server", *place], stdout=subprocess.PIPE, text=True)
        assert self._server.stdout
        assert any("Ready to accept connections" in line for line in self._server.stdout)


@pytest.fixture
def redis(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Redis]:
    """A Redis that is the only way in which this process and those that it starts hear of each other."""
    pytest.importorskip("channels_redis", reason="the group redis is not installed")
    server = Redis(tmp_path)
    settings.CHANNEL_LAYERS = channel_layers(server.url)
    monkeypatch.setenv("MEMDOCK_REDIS_URL", server.url)
    monkeypatch.setattr(reader, "TICK_S", 2 * PATIENCE_S)
    monkeypatch.setattr(watch, "commits", _nothing)
    yield server
    server.stop()


async def _nothing(_ring: watch.Ring) -> None:
    """Hear nobody: the machine of the database tells us nothing."""


async def _hears(batches: AsyncGenerator[list[ChangeJson]], ref: str) -> None:
    """Let another process write, and hear of it."""
    written = asyncio.create_task(asyncio.to_thread(write, ref))
    assert [change["ref"] for change in await anext(batches)] == [ref]
    await written


async def _is_heard(redis: Redis, *, but: Set[bytes] = frozenset()) -> Set[bytes]:
    """Wait for a channel that listens, another one than these."""
    while not (found := await asyncio.to_thread(redis.listeners) - but):
        await asyncio.sleep(0.02)
    return found


def test_hears_another_machine_through_the_layer(redis: Redis) -> None:
    append_now("entry:1")

    async def scene() -> None:
        async with asyncio.timeout(PATIENCE_S), aclosing(feed.current().follow(0)) as batches:
            await anext(batches)
            await _hears(batches, "entry:2")

    run(scene())


def test_hears_it_again_after_the_layer_was_away(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "PAUSE_S", 0.05)
    append_now("entry:1")

    async def scene() -> None:
        async with asyncio.timeout(PATIENCE_S), aclosing(feed.current().follow(0)) as batches:
            await anext(batches)
            await _is_heard(redis)
            await asyncio.to_thread(redis.restart)
            await _is_heard(redis)
            await _hears(batches, "entry:2")

    run(scene())


def test_joins_anew_before_the_layer_forgets_it(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "RENEW_S", 0.1)
    append_now("entry:1")

    async def scene() -> None:
        async with asyncio.timeout(PATIENCE_S), aclosing(feed.current().follow(0)) as batches:
            await anext(batches)
            first = await _is_heard(redis)
            await _is_heard(redis, but=first)
            await _hears(batches, "entry:2")

    run(scene())


def test_gives_redis_longer_than_it_is_asked_to_wait(redis: Redis) -> None:
    """Otherwise a bell that nobody rings for five seconds is taken for one that broke."""
    from channels_redis.core import RedisChannelLayer  # type: ignore[import-untyped]

    [host] = channel_layers(redis.url)["default"]["CONFIG"]["hosts"]
    assert host["socket_timeout"] > 2 * RedisChannelLayer.brpop_timeout
