"""Capture documents: the one shape in which every agent's events arrive (contract section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from memory.engram.redaction import redact_all
from memory.transcripts.conversation import Json, JsonObject

LARGEST = 64 * 1024 * 1024
"""Bytes of one document."""
LONGEST_TEXT = 100_000
"""Characters that are kept of one text inside an event: half of them from the head, half from the tail."""


class BadDocument(ValueError):
    """A document that cannot be taken; `field` names what is wrong."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A delivery of one session's events, private blocks taken out; `next_seq` is None where the agent counts none."""

    platform: str
    session: str
    cwd: str = ""
    parent: str = ""
    origin: str = ""
    from_seq: int | None = None
    next_seq: int | None = None
    is_final: bool = False
    transcript: str = ""
    events: tuple[JsonObject, ...] = ()

    @property
    def is_of_subagent(self) -> bool:
        return self.origin == "subagent" or bool(self.parent)


def parse(data: Json) -> Document:
    """Read a document. Unknown keys are ignored, and so are events that are no objects. Raises BadDocument."""
    if not isinstance(data, dict):
        raise BadDocument("A capture document is a JSON object.", "")
    body = cast("JsonObject", redact_all(data))
    session = body.get("session")
    if not isinstance(session, dict):
        raise BadDocument("session must be an object with an id.", "session")
    events = body.get("events", [])
    if not isinstance(events, list):
        raise BadDocument("events must be a list.", "events")
    return Document(
        platform=_text(body, "platform", "platform", limit=40),
        session=_text(session, "id", "session.id", limit=2000),
        cwd=_text(session, "cwd", "session.cwd", limit=4000, is_needed=False),
        parent=_text(session, "parent_session", "session.parent_session", limit=2000, is_needed=False),
        origin=_text(session, "origin", "session.origin", limit=40, is_needed=False),
        from_seq=_number(body, "from_seq"),
        next_seq=_number(body, "next_seq"),
        is_final=body.get("final") is True,
        transcript=_text(body, "transcript", "transcript", limit=4000, is_needed=False),
        events=tuple(cast("JsonObject", _shortened(event)) for event in events if isinstance(event, dict)),
    )


def _text(record: JsonObject, key: str, field: str, *, limit: int, is_needed: bool = True) -> str:
    value = record.get(key)
    if value is None and not is_needed:
        return ""
    if not isinstance(value, str) or (is_needed and not value.strip()):
        raise BadDocument(f"{field} must be a text.", field)
    if len(value) > limit:
        raise BadDocument(f"{field} has more than {limit:,} characters.", field)
    return value.strip() if is_needed else value


def _number(record: JsonObject, key: str) -> int | None:
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise BadDocument(f"{key} must be a whole number from 0 on.", key)
    return value


def _shortened(value: Json) -> Json:
    """Keep head and tail of enormous texts, as a tool's output of 50 MB."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        half = LONGEST_TEXT // 2
        return f"{value[:half]}\n… {len(value) - 2 * half:,} characters left out …\n{value[-half:]}"
    if isinstance(value, dict):
        return {key: _shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shortened(inner) for inner in value]
    return value
