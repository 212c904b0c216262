"""Single values out of rows that somebody else wrote: whatever is missing or of another kind is empty."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from memory.engram.redaction import redact_all
from memory.transcripts.conversation import Json, JsonObject

UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of what tells none, as Engram dates the sessions that it had to invent."""

_LARGEST = 2**31 - 1


def text(row: JsonObject, name: str) -> str:
    """Return a text without its private blocks; white space stays as it is."""
    value = row.get(name)
    return public(value) if isinstance(value, str) else ""


def public(value: str) -> str:
    """Put `[REDACTED]` where private blocks were; most texts have no sign of any and cost nothing."""
    if value.isascii() and "<" not in value and "\0" not in value:
        return value
    return str(redact_all(value))


def count(row: JsonObject, name: str) -> int:
    """Return a whole number from 1 on, 0 where there is none."""
    value = row.get(name)
    return min(max(value, 0), _LARGEST) if isinstance(value, int) and not isinstance(value, bool) else 0


def flag(row: JsonObject, name: str) -> bool:
    return row.get(name) in (True, 1)


def share(row: JsonObject, name: str) -> float | None:
    """Return a number from 0 to 1, None for anything else."""
    value = row.get(name)
    is_share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if is_share and isinstance(value, int | float) else None


def moment(row: JsonObject, name: str) -> datetime | None:
    """Return a time, in UTC where no zone is said: `2026-01-05 14:08:16`, with `T`, with a fraction, with a zone."""
    value = row.get(name)
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def identifier(row: JsonObject, name: str, *, longest: int = 100) -> str:
    """Return an id; one that is absurdly long is its start and a digest."""
    value = text(row, name).strip()
    return value if len(value) <= longest else f"{value[: longest - 17]}~{_digest(value)}"


def made_id(prefix: str, *parts: Json) -> str:
    """Return the id of a row that has none: the same one whenever the same row comes again."""
    return f"{prefix}-{_digest(json.dumps(parts, ensure_ascii=False))}"


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode(errors="replace")).hexdigest()[:16]
