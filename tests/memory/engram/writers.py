"""Real processes that write to the tests' database: `python -m tests.memory.engram.writers ROLE …`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

from tests.places import ROOT

_LONG = 60


def start(role: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a writer on the database of this process; it does nothing until it is let go."""
    command = [sys.executable, "-m", "tests.memory.engram.writers", role, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def ready(*processes: subprocess.Popen[str]) -> None:
    """Wait until writers could begin."""
    for process in processes:
        assert said(process) == "ready"


def go(*processes: subprocess.Popen[str]) -> None:
    """Let writers begin, all at once."""
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()


def said(process: subprocess.Popen[str]) -> Any:
    """Return the next line that a writer says, which is JSON."""
    assert process.stdout
    return json.loads(process.stdout.readline())


def end(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        process.communicate(timeout=_LONG)
        assert process.returncode == 0


def environment() -> dict[str, str]:
    """Return the variables with which a process uses the database of this one."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return os.environ | {"MEMDOCK_DATABASE_URL": f"sqlite:///{name}"}
    url = urlsplit(os.environ["MEMDOCK_DATABASE_URL"])._replace(path=f"/{name}").geturl()
    return os.environ | {"MEMDOCK_DATABASE_URL": url}


def _save(number: int, topic: str) -> str:
    from django.utils import timezone

    from memory.engram import observations

    content = f"Words of {number} on {topic}" if topic else "The same words."
    saved = observations.save(session_id="s1", title="Same", content=content, topic_key=topic, at=timezone.now())
    return saved.outcome


def _operate(number: int, session: str) -> str:
    from django.utils import timezone

    from memory.engram import observations
    from memory.engram.errors import OperationConflict

    try:
        saved = observations.save(
            session_id=session, title=session, content="c", operation_id="once", at=timezone.now()
        )
    except OperationConflict:
        return "conflict"
    return saved.outcome


def _ask(number: int, inbox: str) -> str:
    from django.utils import timezone

    from memory.engram import prompts

    prompt = prompts.save(session_id="s1", content=f"Question {number}", source_inbox_id=inbox, at=timezone.now())
    return prompt.content


def _register(number: int, project: str) -> str:
    from django.utils import timezone

    from memory.engram import sessions

    made = sessions.register(id="fresh", project=project, directory=f"/d{number}", resume=True, at=timezone.now())
    return made.session.key


_ACTS: dict[str, Callable[[int, str], str]] = {"save": _save, "operate": _operate, "ask": _ask, "register": _register}


def _together(act: Callable[[int, str], str], count: int, what: str) -> list[str]:
    """Act so many times at the same moment, each in a thread with a connection of its own."""
    from django.db import connections

    barrier = Barrier(count)

    def once(number: int) -> str:
        connections["default"].ensure_connection()
        barrier.wait()
        try:
            return act(number, what)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(once, range(count)))


def _hold(seconds: float) -> None:
    """Write as an import does: one transaction that lasts."""
    from django.db import transaction
    from django.utils import timezone

    from memory import changes, locks
    from memory.changes import Note
    from memory.models import Project

    project = Project.objects.get(name="harbor")
    with transaction.atomic():
        locks.project(project.pk)
        changes.append([Note("project.changed", "project:harbor")], project=project, at=timezone.now())
        print(json.dumps("holding"), flush=True)
        time.sleep(seconds)


def _main(role: str, *arguments: str) -> None:
    print(json.dumps("ready"), flush=True)
    sys.stdin.readline()
    if role == "hold":
        _hold(float(arguments[0]))
    else:
        print(json.dumps(_together(_ACTS[role], int(arguments[0]), arguments[1])), flush=True)


if __name__ == "__main__":
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "memsite.settings"
    django.setup()
    _main(*sys.argv[1:])
