"""Strict JSON and its copies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.service.errors import BadRequest
from memory.service.values import DEEPEST, WIDEST, copied

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**WIDEST) + 1, 2**WIDEST - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=30)


def containers(value: Any) -> list[int]:
    """Return the identities of all lists and objects in a value."""
    if not isinstance(value, list | dict):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [id(value), *(identity for one in inner for identity in containers(one))]


@given(VALUES)
def test_a_copy_says_the_same_after_it_went_over_a_wire(value: Any) -> None:
    assert json.loads(json.dumps(copied(value))) == value


@given(VALUES)
def test_a_copy_shares_nothing(value: Any) -> None:
    copy = copied(value)

    assert not set(containers(value)) & set(containers(copy))


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [1, (2, 3)]}, r"data\.a\[1\] is no JSON value but a tuple"),
        ({1: "x"}, "data has a key that is no text: 1"),
        ([float("nan")], r"data\[0\] is nan"),
        ([float("-inf")], r"data\[0\] is -inf"),
        ({"a": {"b": "\ud800"}}, r"data\.a\.b holds half of a character"),
        ({"\udc00": 1}, r"data\.\? holds half of a character"),
        ({"a": b"bytes"}, r"data\.a is no JSON value but a bytes"),
        ([set()], r"data\[0\] is no JSON value but a set"),
        ([Text("like a text")], r"data\[0\] is no JSON value but a Text"),
        (2**WIDEST, "data is a whole number of more than"),
    ],
)
def test_refuses_what_json_cannot_say_and_names_the_place(value: object, place: str) -> None:
    with pytest.raises(BadRequest, match=f"^{place}"):
        copied(value)


def test_refuses_what_is_nested_too_deep_or_in_itself() -> None:
    value: Any = "seed"
    for _ in range(DEEPEST):
        value = [value]
    assert copied(value) == value

    endless: list[Any] = []
    endless.append(endless)
    for one in ([value], endless):
        with pytest.raises(BadRequest, match="nested deeper than"):
            copied(one)
