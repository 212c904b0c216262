"""Reads what a model answered: one JSON object, wherever it stands between fences and other words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory.documents import decoding
from memory.documents.reader import LIMIT
from memory.engram.redaction import redact
from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject

LONGEST = 1_000_000
"""Characters of a reply that are read."""
LONGEST_SKILL = 60_000
MOST_SKILLS = 20
MOST_SOURCES = 50

_EFFORT = 3 * LONGEST  # characters that are gone through in search of the ends of broken values
_STARTS = re.compile(r"[{\[]")
_OURS = re.compile(r'\{\s*"(?:action|reason|content|skills)"')
_DECODER = json.JSONDecoder(strict=False)  # models leave line ends in strings as they are
_CLOSING = {"{": "}", "[": "]"}


class Nonsense(Exception):
    """The reply is not what was asked for; the message is one sentence. Nothing may be done with it."""


@dataclass(frozen=True, slots=True)
class DocumentReply:
    """What is to become of a document; `text` is the whole new one for `replace`."""

    action: Literal["none", "replace"]
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class SkillReply:
    """One skill that the model proposes or revises."""

    name: str
    description: str
    body: str
    occurrences: int | None
    sources: tuple[str, ...]
    reason: str


def document(said: str) -> DocumentReply:
    """Read the reply of a task that keeps a document. Raises Nonsense."""
    found = _last(said, "action")
    action, reason = fields.text(found.get("action")), _line(found.get("reason"))
    if action == "none":
        return DocumentReply("none", reason)
    if action != "replace":
        raise Nonsense("The model answered with an action that is neither none nor replace.")
    text = decoding.normalise(decoding.storable(fields.text(found.get("content")))).strip()
    if not text:
        raise Nonsense("The model wanted to replace the document and gave no text for it.")
    if len(text.encode()) >= LIMIT:
        raise Nonsense("The model answered with a text of more than 1 MB.")
    if redact(text) != text:
        raise Nonsense("The model answered with a text that holds a private block.")
    return DocumentReply("replace", reason, f"{text}\n")


def skills(said: str) -> list[SkillReply]:
    """Read the reply of memory to skill; what has no description or no body is left out. Raises Nonsense."""
    wanted = _last(said, "skills").get("skills")
    if not isinstance(wanted, list):
        raise Nonsense('The model answered without a list of "skills".')
    found = [skill for one in wanted if (skill := _skill(fields.record(one)))]
    return found[:MOST_SKILLS]


def _skill(item: JsonObject) -> SkillReply | None:
    description = _line(item.get("description"))
    body = decoding.normalise(decoding.storable(fields.text(item.get("body")))).strip()
    if not description or not body or len(body) > LONGEST_SKILL:
        return None
    return SkillReply(
        name=_line(item.get("name"))[:100],
        description=description,
        body=redact(body),
        occurrences=_count(item.get("occurrences")),
        sources=tuple(_sources(item.get("sources"))),
        reason=_line(item.get("reason")),
    )


def _sources(value: Json) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [])[:MOST_SOURCES]:
        if told := _line(one)[:300]:
            yield told


def _count(value: Json) -> int | None:
    number = fields.number(value)
    return number if number is not None and 0 <= number < 2**31 else None


def _line(value: Json) -> str:
    return redact(" ".join(decoding.storable(fields.text(value)).split()))[:2000]


def _last(said: str, key: str) -> JsonObject:
    """Return the last object that has a key."""
    found: JsonObject | None = None
    for value in _objects(said[:LONGEST]):
        if key in value:
            found = value
    if found is None:
        raise Nonsense("The model did not answer with the JSON that was asked for.")
    return found


def _objects(text: str) -> Iterator[JsonObject]:
    """Yield the outermost objects of a text.

    Nothing is looked for inside one that is broken: an example in the middle of a cut answer is no answer.
    """
    at, effort = 0, _EFFORT
    while effort > 0 and (start := _STARTS.search(text, at)):
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            end = _balanced(text, start.start())
            if end is None and _OURS.match(text, start.start()):
                return
            effort -= (end or len(text)) - start.start()
            at = end or start.end()
            continue
        if isinstance(value, dict):
            yield value


def _balanced(text: str, start: int) -> int | None:
    """Return where a broken value ends, None where it does not."""
    stack: list[str] = []
    in_string = is_escaped = False
    for at in range(start, len(text)):
        character = text[at]
        if in_string:
            in_string = is_escaped or character != '"'
            is_escaped = character == "\\" and not is_escaped
        elif character == '"':
            in_string = True
        elif character in _CLOSING:
            stack.append(_CLOSING[character])
        elif character in "}]":
            if character != stack.pop():
                return None
            if not stack:
                return at + 1
    return None
