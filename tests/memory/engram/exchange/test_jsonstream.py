"""An object that is read in pieces is the object that was written."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.engram.exchange import jsonstream
from memory.engram.exchange.errors import NotJson

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Trickle(io.BytesIO):
    """Gives a few bytes at a time, whatever is asked for."""

    def __init__(self, data: bytes, most: int) -> None:
        super().__init__(data)
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._most if size is None or size < 0 else min(size, self._most))


def told(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, one in value.items():
        yield from ((key, element) for element in one or [None]) if isinstance(one, list) else [(key, one)]


@given(value=st.dictionaries(st.text(), values, max_size=5), most=st.integers(1, 9), indent=st.sampled_from([None, 2]))
def test_reads_what_was_written(value: dict[str, Any], most: int, indent: int | None) -> None:
    for is_ascii in (True, False):
        try:
            data = json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode()
        except UnicodeEncodeError:  # half a surrogate pair, which only an escape can say
            continue
        assert list(jsonstream.members(Trickle(data, most))) == list(told(value))
        assert list(jsonstream.members(io.BytesIO(b"\xef\xbb\xbf" + data))) == list(told(value))


@given(value=st.dictionaries(st.text(), values, min_size=1, max_size=5), data=st.data())
def test_refuses_an_object_that_breaks_off(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value).encode()
    end = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(NotJson):
        list(jsonstream.members(io.BytesIO(text[:end])))


@given(st.binary(max_size=60))
def test_reads_an_object_or_refuses(data: bytes) -> None:
    try:
        list(jsonstream.members(io.BytesIO(data)))
    except NotJson as exc:
        assert str(exc)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b" ", b"[]", b"7", b"null", b"{", b"{}{}", b"{} x", b'{"a" 1}', b'{"a": 1,}', b'{"a": [1,]}', b"{a: 1}"),
        *(b'{"a": [1 2]}', b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": "\xff"}', b'{"a": ' + b"9" * 5000 + b"}"),
        *(b'{"a": ' + b"[" * 100_000, '{"a": 1}'.encode("utf-16"), b'{"a": 1}\0'),
    ],
    ids=lambda data: repr(data[:14]),
)
def test_refuses_what_is_no_object(data: bytes) -> None:
    with pytest.raises(NotJson):
        list(jsonstream.members(io.BytesIO(data)))


def test_does_not_hold_what_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "LONGEST", 1000)
    monkeypatch.setattr(jsonstream, "BLOCK", 100)
    with pytest.raises(NotJson, match="longer than MemDock reads"):
        list(jsonstream.members(io.BytesIO(b'{"a": "' + b"x" * 10_000)))
