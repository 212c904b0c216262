"""Arguments of tools: what a model may send, checked before anything is done with it."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

_LARGEST = 2**63 - 1
_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")
_SAID = ("type", "description", "enum", "items")


def _no_flag(value: Any) -> Any:
    if isinstance(value, bool):  # a number in Python: `true` would delete the first memory
        raise ValueError("a number is wanted, not true or false")
    return value


# Plain aliases: a `type` statement would become a `$ref` in the schema.
Line = Annotated[str, Field(max_length=4_000)]
Text = Annotated[str, Field(max_length=2_000_000)]
Number = Annotated[int, BeforeValidator(_no_flag), Field(ge=-_LARGEST, le=_LARGEST)]


class Arguments(BaseModel):
    """The arguments of a tool: unknown ones are ignored, and null is the same as absent."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, value: Any) -> Any:
        return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value

    @field_validator("*", mode="before")
    @classmethod
    def storable(cls, value: Any) -> Any:
        if isinstance(value, str) and _UNSTORABLE.search(value):
            raise ValueError("it holds characters that cannot be kept (NUL or half a surrogate pair)")
        return value


def schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments in the few words that every client understands.

    No `$schema`, `anyOf`, `default` or `title`: some clients drop what they do not know, others refuse the tool.
    """
    whole = arguments.model_json_schema()
    properties = {name: _plain(one) for name, one in whole.get("properties", {}).items()}
    required = {"required": whole["required"]} if whole.get("required") else {}
    return {"type": "object", "properties": properties, **required}


def _plain(said: dict[str, Any]) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = said.get("anyOf", [])
    whole = next((kind for kind in kinds if kind.get("type") != "null"), {}) | said
    return {word: whole[word] for word in _SAID if word in whole}
