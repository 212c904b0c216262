"""What an observation is going to say: redacted, cut, normalised and checked, before any row is touched."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from memory.engram import naming, topics
from memory.engram.errors import Invalid
from memory.engram.redaction import redact
from memory.engram.text import cut, normalized_hash
from memory.models import Observation

DEFAULT_TYPE = "manual"


@dataclass(frozen=True, slots=True)
class Draft:
    """The words of an observation; `full_size` is the size in bytes of a content that was cut."""

    type: str
    title: str
    content: str
    full_size: int | None
    scope: str
    topic_key: str
    normalized_hash: str

    def fingerprint(self, **context: str) -> str:
        """Return what tells one payload from another: a SHA-256 in hex over this and where it goes."""
        return hashlib.sha256(json.dumps([asdict(self), context], sort_keys=True).encode()).hexdigest()

    def write(self, row: Observation) -> None:
        """Let a row say this; saving it is the caller's."""
        for name, value in asdict(self).items():
            setattr(row, name, value)


FIELDS = tuple(Draft.__dataclass_fields__)
"""The columns that a draft fills."""


def draft(*, type: str, title: str, content: str, scope: str, topic_key: str) -> Draft:  # noqa: A002
    """Make a draft of what was sent. Raises Invalid where the title or the content is empty."""
    kept = cut(required("content", content))
    return Draft(
        type=type_name(type),
        title=required("title", title),
        content=kept.text,
        full_size=kept.full_size,
        scope=naming.scope(scope),
        topic_key=topic(topic_key),
        normalized_hash=normalized_hash(kept.text),
    )


def required(name: str, text: str) -> str:
    """Return a text redacted. Raises Invalid when nothing is left of it."""
    said = redact(text)
    if not said:
        raise Invalid(f"observation {name} is required")
    return said


def type_name(text: str) -> str:
    """Return a type as it is stored; any is fine, none is `manual`."""
    return redact(text)[:100] or DEFAULT_TYPE


def topic(text: str) -> str:
    return topics.normalize(redact(text))
