"""URL converters: dates, and ids that may hold anything."""

from __future__ import annotations

from datetime import date

from django.urls import register_converter

from memory import refs


class DayConverter:
    """A calendar day, 2026-01-15."""

    regex = r"\d{4}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


class NameConverter:
    """An id or name from outside, as one segment of the path (see memory.refs.segment)."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        return refs.from_segment(value)

    def to_url(self, value: str) -> str:
        return refs.segment(value)


def register() -> None:
    register_converter(DayConverter, "day")
    register_converter(NameConverter, "name")
