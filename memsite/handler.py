"""Answers HTTP over ASGI: each request in one thread, which keeps its connection to SQLite for the next one."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, override

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http import HttpRequest, HttpResponseBase

from memory.api.asgi import Message, Scope, Send

KEPT = 8
"""Idle threads that wait for the next request. At work are as many as there are requests."""
CONNECTED = 600.0
"""Seconds that such a thread keeps a connection to SQLite; a server has only so many to give."""

type Answer = Callable[[HttpRequest], HttpResponseBase]


class Handler(ASGIHandler):
    """Django's handler with fewer changes of threads.

    Django starts a thread with a new connection for every request, and calls each hook of its middleware from the event
    loop. All of our views and some middleware are ordinary functions, so that this took most of the time of a short
    answer: 5.1 ms for `/health`, where it takes 1.4 now.
    """

    _middleware_chain: Any

    def __init__(self) -> None:
        super().__init__()
        self._idle: list[ThreadPoolExecutor] = []

    @override
    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain as for WSGI, and have the whole of it called in the request's thread."""
        super().load_middleware(is_async=False)
        self._middleware_chain = sync_to_async(_connected(self._middleware_chain))

    async def __call__(self, scope: Scope, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
        """Answer one request. Its thread is kept, unless the request was cancelled while the thread may still work."""
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="memdock-request")
        is_free = False
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
            is_free = True
        finally:
            if is_free and len(self._idle) < KEPT:
                self._idle.append(thread)
            else:
                thread.submit(connections.close_all)
                thread.shutdown(wait=False)


def _connected(answer: Answer) -> Answer:
    """Let the thread keep its connection, which Django would close with the request, as CONN_MAX_AGE does for others."""

    def call(request: HttpRequest) -> HttpResponseBase:
        try:
            return answer(request)
        finally:
            for connection in connections.all(initialized_only=True):
                if connection.vendor == "sqlite":
                    connection.close_at = time.monotonic() + CONNECTED

    return call
