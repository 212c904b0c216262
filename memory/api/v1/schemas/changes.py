"""The change feed as JSON."""

from __future__ import annotations

from ninja import Schema
from pydantic import Field

from memory.api.shapes import ChangeJson


class Changes(Schema):
    """Changes in the order in which they happened."""

    items: list[ChangeJson]
    next: int | None = Field(description="`after` of the next request; null when there is nothing more for now.")
    latest: int = Field(description="Id of the newest change of all projects; after a null `next`, go on from here.")
