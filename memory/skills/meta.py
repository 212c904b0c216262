"""The meta.json of a skill candidate, read with suspicion."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NoReturn

from memory.documents import decoding

type Json = bool | int | float | str | list[Json] | dict[str, Json] | None
type Status = Literal["candidate", "installed", "broken"]

LONGEST = 200
"""Characters that a name or a hash may have."""

_DEEPEST = 32
_HIGHEST_COUNT = 2**31 - 1  # what an integer column takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What MemSearch recorded about a candidate; times are in UTC.

    A key that is missing or null has an empty value. Each of `faults` is the rest of a sentence that begins with
    the file's name; with any of them, `status` is `broken`. `extra` holds the keys that MemSearch does not write.
    """

    name: str = ""
    status: Status = "broken"
    description: str = ""
    content_hash: str = ""
    installed_hash: str = ""
    occurrences: int | None = None
    sources: tuple[str, ...] = ()
    reason: str = ""
    installed_paths: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    installed_at: datetime | None = None
    extra: dict[str, Json] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def parse(data: bytes) -> Meta:
    """Read a meta.json; what cannot be used is left out and named in `faults`."""
    text, flaws = decoding.decode(data)
    try:
        values = _load(text)
    except json.JSONDecodeError as exc:
        return Meta(faults=(*flaws, f"is not valid JSON (line {exc.lineno})."))
    except (ValueError, RecursionError):
        return Meta(faults=(*flaws, "holds JSON that cannot be kept: nested too deeply, or a number out of range."))
    if not isinstance(values, dict):
        return Meta(faults=(*flaws, "is not a JSON object."))
    return _meta(_Fields(values, list(flaws)))


class _Fields:
    """Takes typed values out of an object and notes which had another type; what was not taken stays in `rest`."""

    def __init__(self, values: dict[str, Json], faults: list[str]) -> None:
        self.rest = values
        self.faults = faults

    def text(self, key: str) -> str:
        return self._take(key, _text, "", wanted="a text")

    def short(self, key: str) -> str:
        return self._take(key, _short, "", wanted=f"a text of at most {LONGEST} characters")

    def texts(self, key: str) -> tuple[str, ...]:
        return self._take(key, _texts, (), wanted="a list of texts")

    def count(self, key: str) -> int | None:
        return self._take(key, _count, None, wanted="a count")

    def moment(self, key: str) -> datetime | None:
        return self._take(key, _moment, None, wanted="a time")

    def _take[T](self, key: str, convert: Callable[[Json], T], default: T, *, wanted: str) -> T:
        value = self.rest.pop(key, None)
        if value is None:
            return default
        try:
            return convert(value)
        except (TypeError, ValueError, OverflowError):
            self.faults.append(f'has a value of "{key}" that is not {wanted}.')
            return default


def _meta(fields: _Fields) -> Meta:
    return Meta(
        name=fields.short("name"),
        description=fields.text("description"),
        content_hash=fields.short("content_hash"),
        installed_hash=fields.short("installed_hash"),
        occurrences=fields.count("occurrences"),
        sources=fields.texts("sources"),
        reason=fields.text("reason"),
        installed_paths=fields.texts("installed_paths"),
        created_at=fields.moment("created_at"),
        updated_at=fields.moment("updated_at"),
        installed_at=fields.moment("installed_at"),
        # These three come last: they depend on what the others left over and complained about.
        status=_status(fields),
        extra=fields.rest,
        faults=tuple(fields.faults),
    )


def _status(fields: _Fields) -> Status:
    recorded = fields.text("status")
    if recorded not in {"candidate", "installed"}:
        fields.faults.append(f"has the unknown status {recorded[:40]!r}." if recorded else "has no status.")
    if fields.faults:
        return "broken"
    return "installed" if recorded == "installed" else "candidate"


def _load(text: str) -> Json:
    return _kept(json.loads(text, parse_float=_finite, parse_constant=_refuse), room=_DEEPEST)


def _kept(value: Json, *, room: int) -> Json:
    """Return the value with texts that a database can store; raise `ValueError` when it is nested too deeply."""
    if room < 0:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return decoding.storable(value)
    if isinstance(value, list):
        return [_kept(item, room=room - 1) for item in value]
    if isinstance(value, dict):
        return {decoding.storable(key): _kept(item, room=room - 1) for key, item in value.items()}
    return value


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number out of range")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _short(value: Json) -> str:
    text = _text(value)
    if len(text) > LONGEST:
        raise ValueError
    return text


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_text(item) for item in value)


def _count(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    if not 0 <= value <= _HIGHEST_COUNT:
        raise ValueError
    return value


def _moment(value: Json) -> datetime:
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is None:  # MemSearch writes UTC; a hand that left the Z out meant no other zone
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)
