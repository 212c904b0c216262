"""`memdock consume`: follows the memory plugins for one consumer, until somebody stops it."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import asdict

from django.core.management.base import CommandError, CommandParser

from memory import consumers as own
from memory import locks
from memory.management.base import MemdockCommand, add_json
from memory.service import consumers, overview
from memory.service.consumers import Consumer
from memory.service.overview import Following
from memory.service.service import service
from memory.service.subscriptions import WorkerFailure


class Command(MemdockCommand):
    help = "follow the changes of all memory plugins for a consumer, in this process"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="which consumer; --list names them")
        parser.add_argument("--list", action="store_true", dest="lists", help="list the consumers and how far they are")
        add_json(parser)

    def handle(self, *, name: str | None, lists: bool, as_json: bool, **options: object) -> None:
        own.load()
        if lists:
            self._list(as_json=as_json)
        elif name is None:
            raise CommandError("Name a consumer; `memdock consume --list` lists them.", returncode=2)
        else:
            self._run(name)

    def _list(self, *, as_json: bool) -> None:
        names = sorted(consumers.registered)
        rows = overview.following()
        told = [{"name": name, "follows": [asdict(row) for row in rows if row.consumer == name]} for name in names]
        lines = [line for name in names for line in (name, *_lines([row for row in rows if row.consumer == name]))]
        self.report(told, lines, as_json=as_json)

    def _run(self, name: str) -> None:
        found = consumers.registered.get(name)
        if found is None:
            known = ", ".join(sorted(consumers.registered))
            raise CommandError(f"There is no consumer {name!r}; there are {known}.", returncode=2)
        try:
            with consumers.alone(name):
                failures = asyncio.run(_follow(found))
        except locks.Taken as exc:
            raise CommandError(f"{name} is running already with this data directory.") from exc
        if failures:
            raise CommandError(" ".join(f"{one.plugin_id} is not followed any more: {one.error}." for one in failures))


async def _follow(consumer: Consumer) -> list[WorkerFailure]:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return await consumers.run(consumer, service, stop=stop)


def _lines(rows: list[Following]) -> list[str]:
    return [f"  {row.plugin_id}: {row.sentence}" for row in rows] or ["  never ran"]
