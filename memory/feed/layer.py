"""The channel layer as a bell between machines: used where one is configured that reaches other processes."""

from __future__ import annotations

import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, get_channel_layer

from memory import changes
from memory.feed.watch import Ring

GROUP = "memdock.changes"

logger = logging.getLogger("memdock.feed")


async def rings(ring: Ring) -> None:
    """Ring whenever another process rang through the layer, until cancelled; returns at once without such a layer."""
    layer = _layer()
    if layer is None:
        return
    channel = await layer.new_channel()
    await layer.group_add(GROUP, channel)
    try:
        while True:
            await layer.receive(channel)
            ring()
    finally:
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
