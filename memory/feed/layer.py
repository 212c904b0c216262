"""The channel layer as a bell between machines: used where one is configured that reaches other processes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, get_channel_layer

from memory import changes
from memory.feed.watch import Ring

GROUP = "memdock.changes"
PAUSE_S = 2.0
"""Until a layer that failed is listened to again."""
RENEW_S = 3600.0
"""After which a channel joins anew: channels-redis forgets who joined a day ago."""

logger = logging.getLogger("memdock.feed")


async def rings(ring: Ring) -> None:
    """Ring whenever another process rang through the layer, until cancelled; returns at once without such a layer."""
    layer = _layer()
    while layer is not None:
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW_S):
                    await _listen(layer, ring)
        except Exception:  # a Redis that is restarted, say; meanwhile there is the tick
            logger.warning("The channel layer cannot be heard; trying again.", exc_info=True)
            await asyncio.sleep(PAUSE_S)


async def _listen(layer: Any, ring: Ring) -> None:
    channel = await layer.new_channel()
    await layer.group_add(GROUP, channel)
    ring()  # for what was rung while nobody listened
    try:
        while True:
            await layer.receive(channel)
            ring()
    finally:
        with suppress(Exception):  # where the layer is away, the channel's place in the group expires
            await layer.group_discard(GROUP, channel)


def connect() -> None:
    """Pass this process's rings on; called once, when the app is ready."""
    if _layer() is not None:
        changes.rung.connect(_send, dispatch_uid="memory.feed.layer")


def _send(**_signal: object) -> None:
    try:
        async_to_sync(_layer().group_send)(GROUP, {"type": "changes.ring"})
    except Exception:  # the change is committed; whoever does not hear of it sees it at the next tick
        logger.warning("The channel layer could not be rung.", exc_info=True)


def _layer() -> Any:  # Channels has no types
    layer = get_channel_layer()
    return None if isinstance(layer, InMemoryChannelLayer) else layer
