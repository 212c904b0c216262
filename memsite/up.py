"""`memdock up`: everything that MemDock is, until somebody stops it."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
from dataclasses import dataclass

from memory import locks
from memsite import listener
from memsite.alarm import Alarm
from memsite.failure import Failure
from memsite.supervisor import Child, Supervisor

HELP = "start the web server, the worker and the file watcher"
PATIENCE = 60.0
"""Seconds that the web server may take until it answers."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """Two addresses; `link` signs the first person in and is "" when somebody signed in before."""

    dock: str
    link: str


def main(arguments: list[str]) -> None:
    """Start MemDock and keep it running until SIGINT or SIGTERM. Raises Failure, and ImproperlyConfigured."""
    options = _parser().parse_args(arguments)
    for name, value in (("MEMDOCK_HOST", options.host), ("MEMDOCK_PORT", options.port)):
        if value is not None:
            os.environ[name] = value
    from memsite.settings import DATA_DIR, ENV  # reads the environment, so not before the options are in it

    try:
        with locks.held(DATA_DIR / "up.lock", waits=False), listener.listen(ENV.host, ENV.port) as listening:
            _run(listening, opens=options.opens)
    except locks.Taken as exc:
        raise Failure(f"MemDock is running already with the data directory {DATA_DIR}.") from exc


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("memdock up", description=f"{HELP[0].upper()}{HELP[1:]}.", allow_abbrev=False)
    parser.add_argument("--host", help="the address to listen on (MEMDOCK_HOST; 127.0.0.1)")
    parser.add_argument("--port", help="the port to listen on (MEMDOCK_PORT; 7437)")
    parser.add_argument("--no-open", dest="opens", action="store_false", help="do not open the browser")
    return parser


def _run(listening: socket.socket, *, opens: bool) -> None:
    from memory import addresses
    from memsite.settings import DATA_DIR, ENV

    with Alarm() as alarm, Supervisor(alarm) as supervisor:
        with locks.held(DATA_DIR / locks.DATABASE):
            # Both load Django at the same time; the web server then waits for the lock.
            web = supervisor.start("web", "--fd", str(listening.fileno()), descriptors=(listening.fileno(),))
            _prepare_database()
        with addresses.noted():
            greeting = _greeting()  # made while the web server starts: it takes as long as that does
            _await(web, alarm, ENV.host, ENV.port)
            if not alarm.is_stopping:
                supervisor.start("watch")
                supervisor.start("worker")
                _say(greeting, opens=opens)
            supervisor.keep()


def _prepare_database() -> None:
    import django
    from django.db import DatabaseError, connection

    django.setup()
    from memory.management import database

    try:
        database.migrate()
        connection.close()
    except DatabaseError as exc:
        raise Failure(database.sentence(exc)) from exc


def _await(web: Child, alarm: Alarm, host: str, port: int) -> None:
    """Wait until the web server answers; until then a connection waits in the listening socket."""
    deadline = time.monotonic() + PATIENCE
    question = listener.Question(host, port)
    while not alarm.is_stopping and not question.is_answered(within=0.1):
        if not web.is_running:
            raise Failure("The web server did not start; what it wrote above says why.")
        if time.monotonic() > deadline:
            raise Failure(f"The web server did not answer within {PATIENCE:g} seconds.")
        alarm.wait(0.02)


def _greeting() -> Greeting:
    from django.db import connection
    from django.utils import timezone

    from memory import addresses
    from memory.people import actions, links, queries

    link = ""
    if not queries.anybody_signed_in():
        link = links.url(actions.issue(username=queries.owner_name(), at=timezone.now()))
    connection.close()
    return Greeting(dock=f"{addresses.base()}/", link=link)


def _say(greeting: Greeting, *, opens: bool) -> None:
    print(f"MemDock ready: {greeting.dock}", flush=True)
    if greeting.link:
        print(f"Sign in: {greeting.link}", flush=True)
    print("Stop with Ctrl-C.", flush=True)
    if opens and _has_screen():
        _open(greeting.link or greeting.dock)


def _has_screen() -> bool:
    has_display = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return has_display and sys.stdout.isatty()


def _open(url: str) -> None:
    import webbrowser

    # In a thread: some browsers are waited for.
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
