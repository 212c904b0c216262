"""`/import` and `/export`: everything that Engram keeps, as one JSON document."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.timezone import now

from memory.api.engram import scoping
from memory.api.engram.bodies import raw_body
from memory.api.engram.replies import Refusal, reply
from memory.engram.exchange import exporting, importing
from memory.engram.exchange.documents import JsonDocument
from memory.engram.exchange.errors import CannotImport, NotJson
from memory.engram.exchange.sources import Source

LARGEST = 50 * 1024 * 1024
"""Bytes of a document that is taken in (Engram's limit)."""

_BOM = b"\xef\xbb\xbf"
_HEADERS = {"Content-Disposition": "attachment; filename=engram-export.json"}


def take(request: HttpRequest) -> HttpResponse:
    """Import an export; say how many rows of each kind are new."""
    body = raw_body(request, limit=LARGEST)
    if body.startswith(_BOM):
        raise Refusal(400, "invalid json: it begins with a byte order mark")
    document = JsonDocument("export", lambda: io.BytesIO(body))
    try:
        document.survey()
        report = importing.run(Source("the request", documents=[document]), at=now())
    except NotJson as exc:
        raise Refusal(400, f"invalid json: {exc}") from exc
    except CannotImport as exc:
        raise Refusal(400, f"import: {exc}") from exc
    return reply(
        {
            "sessions_imported": report.count("sessions", "new"),
            "observations_imported": report.count("observations", "new"),
            "observations_updated": report.count("observations", "updated"),
            "observations_skipped_stale": report.count("observations", "same"),
            "prompts_imported": report.count("prompts", "new"),
        }
    )


def give(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the export of a project, or of all."""
    pieces = (piece.encode() for piece in exporting.pieces(scoping.chosen(request), at=now()))
    # Django gathers an ordinary iterator in memory before it serves it over ASGI.
    content = _awaited(pieces) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(content, content_type="application/json", headers=_HEADERS)


async def _awaited(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Take piece after piece where the database's connection lives; others are answered in between."""

    def following() -> bytes:
        return next(pieces, b"")

    while piece := await sync_to_async(following)():
        yield piece
