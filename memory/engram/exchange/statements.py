"""Writes many rows by one prepared statement each kind, which is run for every row.

Django's `bulk_create` makes an object and a piece of SQL of each row, and `bulk_update` a condition of each value;
here that would take most of the time of an import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import connection, models

from memory.models import Session

type Value = str | int | float | datetime | None
type Row = Sequence[Value]
"""Values in the order of the names that were given; a foreign key is named by its column, `session_id`."""


def insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Row]) -> None:
    """Insert rows; the other fields get what the model says they have by default."""
    columns, constants = [*names], []
    for field in model._meta.concrete_fields:
        if field.attname not in names and field.has_default():
            columns.append(field.attname)
            constants.append(field.get_default())
    told, marks = ", ".join(map(connection.ops.quote_name, columns)), ", ".join(["%s"] * len(columns))
    sql = f"INSERT INTO {_table(model)} ({told}) VALUES ({marks})"  # noqa: S608 - names of ours
    _run(sql, ([*row, *constants] for row in rows))


def update(model: type[models.Model], names: Sequence[str], rows: Mapping[int, Row]) -> None:
    """Write these values into stored rows, by their primary keys."""
    told = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in names)
    sql = f"UPDATE {_table(model)} SET {told} WHERE id = %s"  # noqa: S608 - names of ours
    _run(sql, ([*row, pk] for pk, row in rows.items()))


def touch(moments: Mapping[int, datetime]) -> None:
    """Let sessions, by their primary keys, have been active at these moments, unless they were so later."""
    sql = f"UPDATE {_table(Session)} SET last_activity_at = %s WHERE id = %s AND last_activity_at < %s"  # noqa: S608
    _run(sql, ((at, pk, at) for pk, at in moments.items()))


def _run(sql: str, rows: Iterable[Row]) -> None:
    adapt = connection.ops.adapt_datetimefield_value
    values = [[adapt(one) if isinstance(one, datetime) else one for one in row] for row in rows]
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(sql, values)


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)
