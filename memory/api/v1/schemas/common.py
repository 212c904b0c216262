"""What the shapes of several nouns share."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from ninja import Schema
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from memory.api.shapes import iso

# Plain assignments: of a `type` alias pydantic makes a definition of its own, which ninja cannot spread in a query.
Moment = Annotated[
    datetime,
    PlainSerializer(iso, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-01-15T18:20:07.120Z"]}),
]
"""A moment in UTC, ISO 8601 with milliseconds and `Z`."""

Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A text that a database can be asked about: PostgreSQL takes no NUL."""


class Page[Item](Schema):
    """Some items; `next` is the cursor of what follows them, null at the end."""

    items: list[Item]
    next: str | None


class Paging(Schema):
    """Which part of a list is wanted."""

    limit: int = Field(50, ge=1, le=200, description="How many items at most.")
    cursor: str = Field("", description="`next` of the page before; empty for the first page.")


def _day(value: object) -> date:
    # Only one spelling: left alone, pydantic takes a count of seconds for a date as well.
    if isinstance(value, str):
        day = date.fromisoformat(value)
        if day.isoformat() == value:
            return day
    raise ValueError("a day is written YYYY-MM-DD")


Day = Annotated[date, BeforeValidator(_day)]
"""A calendar day in local time, `YYYY-MM-DD`."""
