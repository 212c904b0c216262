"""Reads the feed's rows, outside the event loop."""

from __future__ import annotations

from collections.abc import Callable

from asgiref.sync import sync_to_async
from django.db import close_old_connections

from memory import changes
from memory.api.shapes import as_json
from memory.feed.tail import Item
from memory.models import Project

PAGE = 500


async def in_thread[**P, R](query: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a query in a worker thread and leave no connection behind.

    As `channels.db.database_sync_to_async`, but not in the one thread that all of Channels shares.
    """

    def call() -> R:
        close_old_connections()
        try:
            return query(*args, **kwargs)
        finally:
            close_old_connections()

    return await sync_to_async(call, thread_sensitive=False)()


def page(cursor: int, *, project: Project | None = None) -> list[Item]:
    """Return the next PAGE changes after the cursor, ready to be sent. One query."""
    rows = changes.after(cursor, project=project, limit=PAGE)
    return [Item(row.pk, row.project_id, as_json(row)) for row in rows]


def whole_page(cursor: int, *, project: Project | None = None) -> list[Item]:
    """Return the same, or raise ResetRequired when changes after the cursor were trimmed. Two queries."""
    items = page(cursor, project=project)
    if cursor < changes.floor():  # asked afterwards: what was trimmed during the reading is told too
        raise changes.ResetRequired(cursor)
    return items
