"""`/health`: whether the memory can be used, and whose it is."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse

from memory.api.engram.replies import Refusal, reply

CAPABILITIES = {"isolated_session_registration": True, "root_session_resume": True}


def health(request: HttpRequest) -> HttpResponse:
    """Answer with one query that reads no table: clients wait 500 ms."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as exc:
        raise Refusal(500, "health check failed") from exc
    return reply(
        {
            "status": "ok",
            "service": "engram",
            "version": settings.VERSION,
            "instance_id": settings.INSTANCE_ID,
            "capabilities": CAPABILITIES,
        }
    )
