"""The channel layer, Django's setting CHANNEL_LAYERS."""

from __future__ import annotations

from typing import Any

READ_TIMEOUT_S = 30
"""For an answer of Redis; channels-redis lets it keep silence for five seconds, which is all that redis-py grants."""


def channel_layers(redis_url: str) -> dict[str, dict[str, Any]]:
    """Return a layer through the Redis at this address, or for "" one that ends with the process."""
    if not redis_url:
        return {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    host = {"address": redis_url, "socket_timeout": READ_TIMEOUT_S}
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [host]}}}
