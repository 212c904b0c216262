"""Takes fields out of JSON that anybody may have written: whatever is not of the expected type counts as absent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from memory.transcripts.conversation import Json, JsonObject


def text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def record(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def records(value: Json) -> Iterator[JsonObject]:
    """Yield the objects of a list."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def number(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def joined(content: Json, kinds: frozenset[str] = frozenset({"text"})) -> str:
    """Put the text blocks of a content together, one a line; a content may also be one string."""
    if isinstance(content, str):
        return content
    return "\n".join(text(block.get("text")) for block in records(content) if block.get("type") in kinds)


def decoded(value: Json) -> Json:
    """Read arguments that came as JSON in a string; anything else stays what it is."""
    if not isinstance(value, str):
        return value
    try:
        inner: Json = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner if isinstance(inner, dict | list) else value


def moment(value: Json) -> datetime | None:
    """Read milliseconds since 1970, or ISO 8601 (UTC where it names no zone), as a moment in UTC."""
    try:
        if isinstance(value, str):
            when = datetime.fromisoformat(value)
            return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
