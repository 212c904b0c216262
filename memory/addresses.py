"""Where MemDock is reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

NOTE = "address"
"""The file of the data directory that says where `memdock up` listens."""

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


def reachable(host: str) -> str:
    """Return the address under which this machine reaches a server bound to `host`, without brackets."""
    bare = host.strip("[]")
    return _WILDCARDS.get(bare, bare)


def base() -> str:
    """Return scheme, host and port of the server that runs, or would run, without a slash at the end.

    Behind a proxy that speaks https it is the first of MEMDOCK_ALLOWED_HOSTS.
    """
    return _noted() or _configured()


@contextmanager
def noted() -> Iterator[None]:
    """Note the configured address for as long as a server runs there: `up --port` is known to no other command."""
    note: Path = settings.DATA_DIR / NOTE
    note.write_text(_configured() + "\n", encoding="ascii")
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def _noted() -> str:
    try:
        note: str = (settings.DATA_DIR / NOTE).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
    return note.strip()


def _configured() -> str:
    env = settings.ENV
    public = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name not in _LOOPBACK]
    if env.https and public:
        return f"https://{public[0]}"
    host = reachable(env.host)
    return f"http://[{host}]:{env.port}" if ":" in host else f"http://{host}:{env.port}"
