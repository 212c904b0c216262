"""Engram's wire: what its clients ask a server that speaks for it."""

from __future__ import annotations

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

CAPABILITIES = {"isolated_session_registration": True, "root_session_resume": True}


@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Tell whether the memory can be used, and whose it is. One query that reads no table: clients wait 500 ms."""
    if request.method not in {"GET", "HEAD"}:
        return JsonResponse({"error": "method not allowed"}, status=405, headers={"Allow": "GET"})
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"error": "health check failed"}, status=500)
    return JsonResponse(
        {
            "status": "ok",
            "service": "engram",
            "version": settings.VERSION,
            "instance_id": settings.INSTANCE_ID,
            "capabilities": CAPABILITIES,
        }
    )
