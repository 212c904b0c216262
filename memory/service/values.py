"""Strict JSON: what every request, result and change of the service consists of."""

from __future__ import annotations

import math

from memory.service.errors import BadRequest

type Json = bool | int | float | str | list[Json] | dict[str, Json] | None

DEEPEST = 64
"""Levels of lists and objects; deeper values are refused, for not every reader could follow."""

WIDEST = 4096
"""Bits of a whole number; Python itself refuses to write down much longer ones."""


class _Unsayable(Exception):
    """A part that JSON cannot say: where it is, from the outside in, and why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.place = ""

    def inside(self, place: str) -> _Unsayable:
        self.place = place + self.place
        return self


def copied(value: object, name: str = "data") -> Json:
    """Return a copy that shares nothing with the value. Raises BadRequest, naming the place, for what JSON cannot say.

    That is: anything but null, booleans, finite numbers, texts without lone surrogates, lists, and objects with texts
    as keys; tuples and other look-alikes are refused because they would come back as something else.
    """
    try:
        return _copied(value, 0)
    except _Unsayable as exc:
        raise BadRequest(f"{name}{exc.place} {exc.why}") from None


def _copied(value: object, depth: int) -> Json:
    kind = type(value)
    if kind is str:
        return _text(value)  # type: ignore[arg-type]
    if value is None or kind is bool:
        return value  # type: ignore[return-value]
    if kind is int or kind is float:
        return _number(value)  # type: ignore[arg-type]
    if kind is not list and kind is not dict:
        raise _Unsayable(f"is no JSON value but a {kind.__name__}")
    if depth == DEEPEST:
        raise _Unsayable(f"is nested deeper than {DEEPEST} levels")
    if kind is list:
        return _list(value, depth + 1)  # type: ignore[arg-type]
    return _object(value, depth + 1)  # type: ignore[arg-type]


def _list(value: list[object], depth: int) -> list[Json]:
    made: list[Json] = []
    for one in value:
        try:
            made.append(_copied(one, depth))
        except _Unsayable as exc:
            raise exc.inside(f"[{len(made)}]") from None
    return made


def _object(value: dict[object, object], depth: int) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for key, one in value.items():
        if type(key) is not str:
            raise _Unsayable(f"has a key that is no text: {key!r:.60}")
        try:
            made[_text(key)] = _copied(one, depth)
        except _Unsayable as exc:
            raise exc.inside(f".{key}".encode(errors="replace").decode()) from None
    return made


def _text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _Unsayable("holds half of a character, which JSON cannot carry") from None
    return value


def _number(value: float) -> float:
    if type(value) is int:
        if value.bit_length() > WIDEST:
            raise _Unsayable(f"is a whole number of more than {WIDEST:,} bits")
    elif not math.isfinite(value):
        raise _Unsayable(f"is {value}, which JSON cannot say")
    return value
