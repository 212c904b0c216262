"""`memdock watch`: the file watcher, which `memdock up` starts."""

from __future__ import annotations

import signal
import threading

from memory.journal.watch import Watcher
from memory.management.base import MemdockCommand


class Command(MemdockCommand):
    help = "follow the files of all projects (part of `up`)"

    def handle(self, **options: object) -> None:
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        Watcher(stop).run()
