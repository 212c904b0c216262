"""Where MemDock is reached."""

from __future__ import annotations

from django.conf import settings

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


def reachable(host: str) -> str:
    """Return the address under which this machine reaches a server bound to `host`, without brackets."""
    bare = host.strip("[]")
    return _WILDCARDS.get(bare, bare)


def base() -> str:
    """Return scheme, host and port, without a slash at the end.

    Behind a proxy that speaks https it is the first of MEMDOCK_ALLOWED_HOSTS.
    """
    env = settings.ENV
    public = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name not in _LOOPBACK]
    if env.https and public:
        return f"https://{public[0]}"
    host = reachable(env.host)
    return f"http://[{host}]:{env.port}" if ":" in host else f"http://{host}:{env.port}"
