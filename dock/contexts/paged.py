"""Pages of lists, forgiving about their cursors."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from memory import paging
from memory.paging import BadCursor, Page

ROWS = 50


def page[Row: Model](rows: QuerySet[Row], *, order: tuple[str, ...], cursor: str) -> Page[Row]:
    """Cut one page out of `rows`; a cursor that this list did not give out asks for its beginning. One query."""
    try:
        return paging.page(rows, order=order, limit=ROWS, cursor=cursor)
    except BadCursor:
        return paging.page(rows, order=order, limit=ROWS)
