"""Database work away from the event loop, in threads that no plugin can hold up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Condition, Thread

from django.db import Error, connections

IDLE_S = 5.0
"""Seconds after which a thread without work closes its connections and ends."""


@dataclass(frozen=True, slots=True)
class _Job:
    future: Future[object]
    work: Callable[[], object]

    def do(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.work())
        except BaseException as exc:  # noqa: BLE001 - whoever asked is told
            if isinstance(exc, Error):
                connections.close_all()  # whatever became of the connection, the next job has a sound one
            self.future.set_exception(exc)


class Desk:
    """At most so many threads, each with connections of its own; with one thread, work is done in the order of asking.

    `asgiref.sync.sync_to_async` would share one thread with every plugin, so that one that blocks there stops the
    service too; and a connection for each call, as in threads that anybody uses, takes longer than most queries.
    """

    def __init__(self, name: str, *, threads: int = 1) -> None:
        self._name, self._most = name, threads
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._changed = Condition()
        self._threads = self._waiting = 0

    async def do[**P, R](self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run it in a thread and return what it returns. Cancelled, it is left out if nobody began with it."""
        return await asyncio.wrap_future(self.post(work, *args, **kwargs))

    def post[**P, R](self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Let it be run in a thread, without waiting; no event loop is needed."""
        future: Future[R] = Future()
        with self._changed:
            self._jobs.put(_Job(future, lambda: work(*args, **kwargs)))  # type: ignore[arg-type]
            self._man()
        return future

    def rest(self) -> None:
        """Wait until all is done and all connections are closed."""
        with self._changed:
            while self._threads:
                self._jobs.put(None)
                self._changed.wait(0.05)

    def _man(self) -> None:
        """Start a thread where more jobs wait than threads do."""
        if self._waiting < self._jobs.qsize() and self._threads < self._most:
            self._threads += 1
            Thread(target=self._work, name=self._name, daemon=True).start()

    def _work(self) -> None:
        while job := self._next():
            job.do()

    def _next(self) -> _Job | None:
        """Wait for a job; None when there is none for a while, or when this is to be the last one."""
        with self._changed:
            self._waiting += 1
        try:
            job = self._jobs.get(timeout=IDLE_S)
        except Empty:
            job = None
        with self._changed:
            self._waiting -= 1
            self._man()
            return job or self._last()

    def _last(self) -> _Job | None:
        """Return a job that came in the very last moment, else close up."""
        while not self._jobs.empty():
            with suppress(Empty):  # another thread was faster
                if job := self._jobs.get_nowait():
                    return job
        connections.close_all()
        self._threads -= 1
        self._changed.notify_all()
        return None


books = Desk("memory service")
"""Where the service itself reads and writes: cursors, leases, receipts, health."""
