"""A channel layer that reaches other machines rings the bell between them."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from pytest_django import Settings

from memory.feed import feed, reader, watch
from tests.live.scenes import PATIENCE_S, append_now, run
from tests.live.servers import write
from tests.servers import free_port

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not shutil.which("redis-server"), reason="no redis-server on this machine"),
]


@pytest.fixture
def redis(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A throw-away Redis that this process and those it starts use as their channel layer."""
    pytest.importorskip("channels_redis", reason="the group redis is not installed")
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    url = f"redis://127.0.0.1:{port}/0"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        assert any("Ready to accept connections" in line for line in server.stdout)
        layer = {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [url]}}
        settings.CHANNEL_LAYERS = {"default": layer}
        monkeypatch.setenv("MEMDOCK_REDIS_URL", url)
        yield url
        server.terminate()


async def _nothing(_ring: watch.Ring) -> None:
    """Hear nobody: the machine of the database tells us nothing."""


@pytest.mark.usefixtures("redis")
def test_hears_another_machine_through_the_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "TICK_S", 2 * PATIENCE_S)
    monkeypatch.setattr(watch, "commits", _nothing)
    append_now("entry:1")

    async def scene() -> None:
        async with asyncio.timeout(PATIENCE_S), aclosing(feed.current().follow(0)) as batches:
            await anext(batches)
            written = asyncio.create_task(asyncio.to_thread(write, "entry:2"))
            assert [change["ref"] for change in await anext(batches)] == ["entry:2"]
            await written

    run(scene())
