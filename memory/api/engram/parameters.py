"""What an address says: values of its query, read as leniently as Engram reads them, and ids in its path."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from django.http import HttpRequest

from memory.api.engram.replies import Refusal

LARGEST = 2**63 - 1

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_TRUE = {"1", "t", "T", "TRUE", "true", "True"}
_FALSE = {"0", "f", "F", "FALSE", "false", "False"}


def every(request: HttpRequest, name: str) -> list[str]:
    """Return each value of that name. Raises a refusal for what no database can hold."""
    values = request.GET.getlist(name)
    if any("\0" in value for value in values):
        raise Refusal(400, f"{name} cannot hold a NUL character")
    return values


def text(request: HttpRequest, name: str) -> str:
    """Return the first value, "" where there is none."""
    values = every(request, name)
    return values[0] if values else ""


def integer(request: HttpRequest, name: str, default: int = 0) -> int:
    """Return a number; whatever is none is the default."""
    number = _number(text(request, name))
    return default if number is None else number


def flag(request: HttpRequest, name: str) -> bool:
    """Return a truth value in one of Go's spellings; whatever is none is false."""
    return boolean(text(request, name)) or False


def boolean(value: str) -> bool | None:
    """Read a truth value in one of Go's spellings; None for anything else."""
    return True if value in _TRUE else False if value in _FALSE else None


def moment(request: HttpRequest, name: str) -> datetime | None:
    """Return a time as RFC 3339 has it, None where it is absent. Raises a refusal for anything else."""
    return instant(text(request, name), name)


def instant(value: str, name: str) -> datetime | None:
    """Read a time as RFC 3339 has it; None for an empty text. Raises a refusal for anything else."""
    if not value:
        return None
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is None:
            raise ValueError(value)
        return found.astimezone(UTC)
    except (ValueError, OverflowError) as exc:
        raise Refusal(400, f"{name} must be a time as RFC 3339 has it") from exc


def row_id(segment: str, noun: str) -> int:
    """Read the number of a row in a path. Raises a refusal for what is none."""
    number = _number(segment)
    if number is None:
        raise Refusal(400, f"invalid {noun} id")
    return number


def _number(value: str) -> int | None:
    if not _INTEGER.fullmatch(value):
        return None
    number = int(value)
    return number if -LARGEST <= number <= LARGEST else None
