"""Sends open files in pieces, from threads and from the event loop alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import BinaryIO

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

PIECE = 64 * 1024


class _Pieces:
    """At most `size` bytes of a file that may grow meanwhile; Django closes it with the response."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def close(self) -> None:
        self._file.close()

    def read(self) -> bytes:
        piece = self._file.read(min(PIECE, self._left))
        self._left -= len(piece)
        return piece


class _Blocking(_Pieces):
    def __iter__(self) -> Iterator[bytes]:
        while piece := self.read():
            yield piece


class _Awaited(_Pieces):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await asyncio.to_thread(self.read):
            yield piece


def stream(request: HttpRequest, file: BinaryIO, size: int) -> StreamingHttpResponse:
    """Answer with the first `size` bytes of a file, which is closed afterwards.

    Django gathers an ordinary iterator in memory before it serves it over ASGI: hence the two kinds.
    """
    pieces = _Awaited(file, size) if isinstance(request, ASGIRequest) else _Blocking(file, size)
    return StreamingHttpResponse(pieces, headers={"Content-Length": str(size)})
