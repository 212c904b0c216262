"""Lists, page by page."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Model, QuerySet

from memory import paging
from memory.api.v1.schemas.common import Page, Paging
from memory.paging import BadCursor


def page[Row: Model, Item](
    rows: QuerySet[Row], wanted: Paging, *, order: tuple[str, ...], shape: Callable[[Row], Item]
) -> Page[Item]:
    """Cut a page out of `rows` and describe each row. One query. Raises BadCursor."""
    try:
        found = paging.page(rows, order=order, limit=wanted.limit, cursor=wanted.cursor)
    except OverflowError as exc:  # a forged cursor with a number or a moment that no column holds
        raise BadCursor(wanted.cursor) from exc
    return Page(items=[shape(row) for row in found.items], next=found.next or None)
