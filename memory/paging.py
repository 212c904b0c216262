"""Keyset paging: a page is what follows a row, so that new rows on top never shift what somebody reads."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import DataError
from django.db.models import Model, Q, QuerySet


class BadCursor(ValueError):
    """A cursor that no page gave out."""


@dataclass(frozen=True, slots=True)
class Page[Row]:
    """Some rows, and the cursors of what comes after and before them ("" at the ends)."""

    items: list[Row]
    next: str
    previous: str


def page[Row: Model](rows: QuerySet[Row], *, order: tuple[str, ...], limit: int, cursor: str = "") -> Page[Row]:
    """Cut one page out of `rows`. One query.

    `order` names columns, all with or all without a leading `-`, and ends in a unique one. Raises BadCursor.
    """
    names = [name.lstrip("-") for name in order]
    is_back, values = _decode(cursor, rows.model, names) if cursor else (False, [])
    is_descending = order[0].startswith("-")
    if values:
        rows = rows.filter(_beyond(names, values, less=is_descending != is_back))
    rows = rows.order_by(*order)
    try:
        found = list((rows.reverse() if is_back else rows)[: limit + 1])
    except (OverflowError, DataError) as exc:  # a forged cursor with a number that no column holds
        raise BadCursor(cursor) from exc
    has_more, found = len(found) > limit, found[:limit]
    if is_back:
        found.reverse()
    has_next, has_previous = (True, has_more) if is_back else (has_more, bool(values))
    return Page(
        items=found,
        next=_encode(found[-1], names, back=False) if found and has_next else "",
        previous=_encode(found[0], names, back=True) if found and has_previous else "",
    )


def _beyond(names: list[str], values: list[Any], *, less: bool) -> Q:
    """Compare tuples, (a, b) < (x, y), in the form that every database uses an index for."""
    operator = "lt" if less else "gt"
    wanted = Q()
    for index, name in enumerate(names):
        equal = dict(zip(names[:index], values, strict=False))
        wanted |= Q(**equal, **{f"{name}__{operator}": values[index]})
    return Q(**{f"{names[0]}__{operator}e": values[0]}) & wanted


def _encode(row: Model, names: list[str], *, back: bool) -> str:
    values = [getattr(row, name) for name in names]
    text = json.dumps([int(back), *values], default=str, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str, model: type[Model], names: list[str]) -> tuple[bool, list[Any]]:
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        back, *values = json.loads(data)
        if back not in {0, 1} or len(values) != len(names):
            raise BadCursor(cursor)
        return bool(back), [_value(model, name, value) for name, value in zip(names, values, strict=True)]
    except (binascii.Error, ValueError, TypeError, ValidationError, FieldDoesNotExist, RecursionError) as exc:
        raise BadCursor("This cursor was not given out by this list.") from exc


def _value(model: type[Model], name: str, value: Any) -> Any:
    field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    found = field.to_python(value)  # type: ignore[union-attr]
    is_naive = isinstance(found, datetime) and found.tzinfo is None
    if found is None or is_naive or (isinstance(found, str) and "\0" in found):
        raise BadCursor("This cursor was not given out by this list.")
    return found
