"""Holds values against the schemas of the three types of facts; nothing is fetched from anywhere."""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from memory.engram.redaction import redact_all
from memory.facts.errors import InvalidFact
from memory.models.fact import FactType
from memory.service.errors import BadRequest
from memory.service.values import Json, copied

LARGEST = 1024 * 1024
"""Bytes of a value as JSON. Source: the limit of a request in Patchouli's protocol."""

_FOLDER = Path(__file__).parent / "schemas"
_COMMON = "fact-common"
_LONGEST_WORDS = 200
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)")

_formats = FormatChecker(formats=())


def checked(type: FactType, value: object) -> Json:  # noqa: A002 - Patchouli's word
    """Return a copy of a value without private blocks. Raises InvalidFact, naming the place, for what is no such fact."""
    try:
        clean = redact_all(copied(value, "value"))
    except BadRequest as exc:
        raise InvalidFact(str(exc)) from exc
    if len(json.dumps(clean)) > LARGEST:
        raise InvalidFact(f"value is larger than {LARGEST:,} bytes")
    # The first error is enough, and often spares the search for the others, which may take long in long lists.
    if error := next(_validator(type).iter_errors(clean), None):
        raise InvalidFact(_words(error))
    return clean


@cache
def _validator(type: FactType) -> Draft202012Validator:  # noqa: A002
    names = [_COMMON, *FactType.values]
    known: Registry[Any] = Registry().with_resources(
        [(schema["$id"], Resource.from_contents(schema)) for schema in map(_schema, names)]
    )
    return Draft202012Validator(_schema(type), registry=known, format_checker=_formats)


@cache
def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_FOLDER / f"{name}@1.json").read_text(encoding="utf-8"))
    return schema


@_formats.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    """Tell whether a text is a moment (RFC 3339) of the calendar; what is no text is another keyword's affair."""
    if not isinstance(value, str):
        return True
    return bool(_MOMENT.fullmatch(value) and datetime.fromisoformat(value.upper()))


def _words(error: ValidationError) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return f"value{place}: {error.message}"[:_LONGEST_WORDS]
