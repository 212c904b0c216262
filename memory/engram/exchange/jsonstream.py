"""Reads a JSON object of any size member by member, and the arrays in it element by element."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import NoReturn, Protocol

from memory.engram.exchange.errors import NotJson
from memory.transcripts.conversation import Json

BLOCK = 256 * 1024
"""Bytes that are read at once; a longer element makes the reader take as much again as it holds."""

LONGEST = 64 * 1024 * 1024
"""Characters of one element; what is longer is not read into memory."""

_BLANK = " \t\r\n"
_AFTER = {*_BLANK, ":", ",", "]", "}"}

type Member = tuple[str, Json]
"""A key of the object and its value, or one element of the array that is its value."""


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def members(stream: Stream) -> Iterator[Member]:
    """Yield the members of the one object that the stream holds; an array's elements one by one, under its key.

    UTF-8, with or without a byte order mark. An empty array is None under its key. Raises NotJson.
    """
    text = _Text(stream)
    text.expect("{")
    yield from _pairs(text)
    if text.next():
        text.fail("something follows the object")


def _pairs(text: _Text) -> Iterator[Member]:
    if text.skip("}"):
        return
    while True:
        if text.next() != '"':
            text.fail("a key is missing")
        key = text.value()
        text.expect(":")
        if text.skip("["):
            yield from ((str(key), one) for one in _elements(text))
        else:
            yield str(key), text.value()
        if not text.skip(","):
            text.expect("}")
            return


def _elements(text: _Text) -> Iterator[Json]:
    if text.skip("]"):
        yield None
        return
    while True:
        yield text.value()
        if not text.skip(","):
            text.expect("]")
            return


class _Text:
    """The characters of a stream, of which only those are held that are not read yet."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._held = ""
        self._at = 0
        self._before = 0
        self._json = json.JSONDecoder(parse_constant=_refuse)

    def next(self) -> str:
        """Return the next character that is not blank, "" at the end; it stays the next one."""
        while True:
            while self._at < len(self._held):
                if self._held[self._at] not in _BLANK:
                    return self._held[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def skip(self, sign: str) -> bool:
        """Step over a sign if it is the next one."""
        is_next = self.next() == sign
        self._at += is_next
        return is_next

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            self.fail(f"{sign} is missing")

    def value(self) -> Json:
        """Return the whole value that comes next."""
        self.next()
        while True:
            try:
                found, end = self._json.raw_decode(self._held, self._at)
            except (ValueError, RecursionError) as error:
                if not self._fill():
                    self.fail(_reason(error))
            else:
                size, is_whole = end - self._at, self._held[end : end + 1] in _AFTER
                if not is_whole and self._fill():  # a number may go on: `1`, then `.5`
                    continue
                self._at += size
                value: Json = found
                return value

    def fail(self, why: str) -> NoReturn:
        raise NotJson(f"{why} (character {self._before + self._at:,})")

    def _fill(self) -> bool:
        """Read on, ever more while one value does not end; tell whether there was more."""
        rest = self._held[self._at :]
        if len(rest) > LONGEST:
            self.fail("one value is longer than MemDock reads")
        data = self._stream.read(max(BLOCK, len(rest)))
        try:
            more = self._decode(data, not data)
        except UnicodeDecodeError as error:
            raise NotJson("it is not UTF-8") from error
        self._before += self._at
        self._held, self._at = rest + more, 0
        return bool(data)


def _reason(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return error.msg
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return "a number that JSON does not have"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
