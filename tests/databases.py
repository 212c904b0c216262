"""A database of their own for tests that start real processes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit


@contextmanager
def own_database() -> Iterator[dict[str, str]]:
    """Yield the environment that selects an empty database: the default SQLite file, or one on the tests' PostgreSQL."""
    url = os.environ.get("MEMDOCK_DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield {"MEMDOCK_DATABASE_URL": ""}
        return
    import psycopg

    name = f"memdock_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield {"MEMDOCK_DATABASE_URL": urlunsplit(urlsplit(url)._replace(path=f"/{name}"))}
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
