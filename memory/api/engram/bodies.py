"""Bodies of requests: JSON objects whose unknown keys are ignored, and where null is the same as absent."""

from __future__ import annotations

import json
from typing import Annotated, Any, NoReturn

from django.conf import settings
from django.http import HttpRequest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from memory.api.engram.parameters import LARGEST
from memory.api.engram.replies import Refusal


def _storable(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("storable", "a NUL character cannot be kept")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("storable", "half a surrogate pair cannot be kept")
    return text


type Text = Annotated[str, AfterValidator(_storable)]
type Id = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]


class Body(BaseModel):
    """A body of which only the named keys are read."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, value: Any) -> Any:
        return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value


class StrictBody(Body):
    """A body that may have no other key."""

    model_config = ConfigDict(extra="forbid")


def read[B: Body](request: HttpRequest, shape: type[B], *, may_be_empty: bool = False) -> B:
    """Return the body of a request. Raises a refusal for what is no JSON object of that shape."""
    raw = raw_body(request, limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    if may_be_empty and not raw.strip():
        return shape()
    try:
        value = json.loads(raw.decode(), parse_constant=_refuse)
        return shape.model_validate({} if value is None else value)
    except ValidationError as exc:
        raise Refusal(400, f"invalid json: {_first(exc)}") from exc
    except (ValueError, RecursionError) as exc:
        raise Refusal(400, f"invalid json: {_reason(exc)}") from exc


def raw_body(request: HttpRequest, *, limit: int) -> bytes:
    """Return the bytes of a body. Raises a refusal when there are more than `limit`."""
    raw = request.read(limit + 1)  # not request.body, which trusts the length that was declared
    if len(raw) > limit:
        raise Refusal(413, "request body too large")
    return raw


def _first(exc: ValidationError) -> str:
    first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def _reason(exc: Exception) -> str:
    match exc:
        case json.JSONDecodeError():
            return str(exc)
        case UnicodeDecodeError():
            return "it is not UTF-8"
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return "a number that JSON does not have"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
