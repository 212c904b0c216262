"""`memdock web`: the web server, on a socket that `memdock up` listens on."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from memory import locks

WARM_AFTER = 3.0

POOL = {"min_size": 1, "max_size": 20, "max_idle": 60.0, "timeout": 5.0, "reconnect_timeout": 3.0}
"""Connections to PostgreSQL, with seconds; requests beyond the largest number wait for one of them."""

HELP = ""  # not listed: `memdock up` starts it


def main(arguments: list[str]) -> None:
    """Serve until SIGTERM."""
    parser = argparse.ArgumentParser("memdock web", allow_abbrev=False)
    parser.add_argument("--fd", type=int, required=True, help="the descriptor of a listening socket")
    options = parser.parse_args(arguments)
    server = _server(options.fd)
    _pool_connections()
    _await_database()
    _warm_later()
    _leave_the_index()
    server.run()


def _server(descriptor: int) -> Any:
    from daphne.server import Server  # before anything else that knows Twisted: it chooses the reactor

    from memsite.asgi import application
    from memsite.settings import ENV

    proxied = {
        "proxy_forwarded_address_header": "X-Forwarded-For",
        "proxy_forwarded_port_header": "X-Forwarded-Port",
        "proxy_forwarded_proto_header": "X-Forwarded-Proto",
    }
    # Those headers are believed only where the environment says that a proxy sets them.
    return Server(application, [f"fd:fileno={descriptor}"], server_name="", **(proxied if ENV.https else {}))


def _pool_connections() -> None:
    """Keep connections to PostgreSQL for the next requests: a new one takes longer than most answers.

    On SQLite the threads keep theirs (memsite.handler).
    """
    from django.db import connections

    database = connections.settings["default"]
    if database["ENGINE"].endswith("postgresql"):
        database["OPTIONS"] = {"pool": POOL} | database.get("OPTIONS", {})
        database["CONN_HEALTH_CHECKS"] = True


def _warm_later() -> None:
    """Load the embedder once the server answers, so that neither the start nor the first search waits for it."""
    from memory.search import backends, meaning

    for warm in (meaning.warm, backends.warm):
        timer = threading.Timer(WARM_AFTER, warm)
        timer.daemon = True
        timer.start()


def _leave_the_index() -> None:
    """Let the worker take up what is committed here: nobody who writes waits for that, and a search does it itself."""
    from memory.search import index

    index.disconnect()


def _await_database() -> None:
    from memsite.settings import DATA_DIR

    with locks.held(DATA_DIR / locks.DATABASE):
        pass
